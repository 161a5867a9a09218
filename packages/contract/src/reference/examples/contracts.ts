import { contractSource } from "../../operations/contractSource.ts"
import { contractVersion } from "../../operations/contractVersion.ts"
import { salesData } from "../../operations/salesData.ts"
import type { Examples, Variable } from "../Example.ts"

const hash: Variable = {
  name: "hash",
  source: { answerTo: contractVersion.id, read: "contentHash" },
  sample: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
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
