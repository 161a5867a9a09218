export { parse as parseAddress } from "./address.ts"
export * as GatewayLock from "./GatewayLock.ts"
export * as PostgresClient from "./PostgresClient.ts"
