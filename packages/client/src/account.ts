export * from "./generated/accountApi.ts"
export { charge } from "./charge/charge.ts"
export type { AccountError } from "./ownApi/route.ts"
