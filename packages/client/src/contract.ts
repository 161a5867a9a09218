// Compares the gateway's contract with the client's, and reads the operator's sales data.

export { ContractMismatch, ContractUnverified } from "./workflows/contract/verifyContract.ts"
export {
  keepSalesSnapshot,
  type SalesError,
  salesSnapshot,
  type SalesSnapshot,
  SalesUnavailable,
  sourceState,
  type SourceState
} from "./workflows/contract/salesSnapshot.ts"
export { verifiedContract, type VerifyOptions } from "./workflows/contract/verifyContract.ts"
export { verifyContract } from "./promises/verifyContract.ts"
