"""Files to take along: configuration to deploy by hand or with Ansible, and rights for a user.

Made of the same plans and boot bundles as a deployment, so that both leave the same files on a host. Holds no private
key.
"""
