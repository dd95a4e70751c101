export { createNativeContracts } from "./native-contracts.js";
export { stateEditor } from "./state-editor/index.js";
export { decodeStateEdits, encodeStateEdits, type StateEdit } from "./state-editor/state-edit.js";
