"""Exports: configuration to deploy by hand or with Ansible, and rights for a user.

Made of the same plans and boot bundles as a deployment, so that both leave the same files on a host. Written
completely or not at all. Must not contain a private key, and must not change a host.
"""
