export { Host } from "./Host.ts"
export { rerankSuite } from "./rerankSuite.ts"
export { key, TestGateway } from "./TestGateway.ts"
