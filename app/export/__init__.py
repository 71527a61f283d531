"""What can be taken along: configuration for those who deploy by hand or with Ansible, and rights for a user."""
