import { contractSource } from "../../operations/contractSource.ts"
import { contractVersion } from "../../operations/contractVersion.ts"
import { salesData } from "../../operations/salesData.ts"
import type { Examples, Variable } from "../Example.ts"

const hash: Variable = {
  name: "hash",
  source: { answerTo: contractVersion.id, read: "contentHash" },
  // Each contract has its own, so no value is right for long.
  sample: "the contentHash of contracts.version"
}

export const contracts: Examples = {
  [contractVersion.id]: [{}],
  [contractSource.id]: [
    { title: "The whole contract", variables: [hash], query: { hash: "$hash", bundled: "1" } },
    { title: "One operation", variables: [hash], query: { hash: "$hash", operation_id: "rerank" } }
  ],
  [salesData.id]: [
    { note: "Answers 503 with `freshness: unavailable` until there is a verified snapshot.", status: 503 }
  ]
}
