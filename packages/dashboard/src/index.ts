export { type DashboardFile, readDashboard } from "./files.js";
