export { parse as parseAddress } from "./address.ts"
export * as PostgresClient from "./PostgresClient.ts"
export * as PostgresNotices from "./PostgresNotices.ts"
