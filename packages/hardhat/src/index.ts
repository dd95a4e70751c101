export { cambium } from "./plugin.js";
