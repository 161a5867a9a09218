export { parse as parseAddress, shown as showAddress } from "./address.ts"
export * as PostgresClient from "./PostgresClient.ts"
export * as PostgresNotices from "./PostgresNotices.ts"
