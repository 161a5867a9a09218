export { observe } from "./observe/observe.ts"
export { metrics } from "./observe/metrics.ts"
export { spans } from "./observe/spans.ts"
export type { Begun, Ended, Failed, Observer, Sight } from "./observe/Observer.ts"
