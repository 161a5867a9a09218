// Compares the gateway's contract with the client's, and reads the state of the operator's sales data.

export {
  ContractMismatch,
  ContractUnverified,
  verifiedContract,
  verifyContract,
  type VerifyOptions
} from "./promises/verifyContract.ts"
export { sourceState, type SourceState } from "./workflows/contract/sourceState.ts"
