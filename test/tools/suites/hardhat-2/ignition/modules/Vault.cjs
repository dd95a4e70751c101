const { buildModule } = require("@nomicfoundation/hardhat-ignition/modules");

/** Contracts that need each other, a call after both, and an address from an event. */
module.exports = buildModule("Vault", (module) => {
  const supply = module.getParameter("supply", 1000n);
  const token = module.contract("Token", [supply]);
  const vault = module.contract("Vault", [token, module.getParameter("unlockTime", 0n)], { value: 5n });
  const filled = module.call(token, "transfer", [vault, 10n]);
  const to = module.readEventArgument(filled, "Transfer", "to");
  module.send("topUp", to, 3n);
  module.call(vault, "setNumber", [module.staticCall(token, "balanceOf", [vault], 0, { after: [filled] })]);
  return { token, vault };
});
