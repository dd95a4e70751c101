export { cambium as default } from "./plugin.js";
