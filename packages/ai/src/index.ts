export type { TollgateFailure } from "./failure.ts"
export { costOf, type QuotedPrice, type TollgateMetadata } from "./metadata.ts"
export type { TollgateCallOptions } from "./sdk/CallOptions.ts"
export {
  createTollgate,
  type TollgateClient,
  type TollgateProvider,
  type TollgateProviderSettings
} from "./sdk/createTollgate.ts"
