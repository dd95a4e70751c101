const { hostname, port } = new URL(process.env.NODE_URL);

module.exports = {
  // Truffle would download a compiler that it finds by its version.
  compilers: { solc: { version: require.resolve("solc"), settings: { evmVersion: "paris" } } },
  networks: { cambium: { host: hostname, port: Number(port), network_id: "*", gas: 1_000_000 } },
  mocha: { reporter: "json" },
};
