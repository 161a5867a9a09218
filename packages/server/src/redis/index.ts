export { parse as parseAddress } from "./connect.ts"
export * as RedisLimits from "./RedisLimits.ts"
