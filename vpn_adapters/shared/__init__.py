"""What several adapters use: Ethernet interfaces, L2TPv3, discovery of kernel modules, rendering."""
