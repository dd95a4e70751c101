import { render } from "preact";
import { App } from "./app.js";
import { live } from "./node/live.js";
import { followScrolling } from "./scrolling.js";
import "uplot/dist/uPlot.min.css";
import "./styles/base.css";
import "./styles/components.css";
import "./styles/pages.css";
import "./styles/contract.css";
import "./styles/development.css";
import "./styles/debugger.css";

followScrolling();
live.start();
render(<App />, document.getElementById("page")!);
