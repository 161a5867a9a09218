export { parse as parseAddress } from "./address.ts"
export * as RedisLimits from "./RedisLimits.ts"
