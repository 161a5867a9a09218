export * from "./generated/accountApi.ts"
export type { AccountError } from "./ownApi/route.ts"
