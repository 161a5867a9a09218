export * from "./generated/accountApi.ts"
export { charge } from "./charge/charge.ts"
export type { AccountError } from "./managementApi/route.ts"
