const Vault = artifacts.require("Vault");

module.exports = (deployer, _network, [owner]) => deployer.deploy(Vault, owner);
