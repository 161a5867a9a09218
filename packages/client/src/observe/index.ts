export { observe } from "./observe.ts"
export { metrics } from "./metrics.ts"
export { spans } from "./spans.ts"
export type { Begun, Ended, Failed, Observer, Sight } from "./Observer.ts"
