export type { SeriesQuery } from "@tollgate/contract/account/UsageSeries"
export * from "./generated/accountApi.ts"
export type { AccountError } from "./ownApi/route.ts"
