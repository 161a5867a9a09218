import { contractSource } from "../../operations/contractSource.ts"
import { contractVersion } from "../../operations/contractVersion.ts"
import { salesData } from "../../operations/salesData.ts"
import type { Examples, Variable } from "../Example.ts"

const hash: Variable = {
  name: "hash",
  is: { answerTo: contractVersion.id, read: "contentHash" },
  like: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
}

export const contracts: Examples = {
  [contractVersion.id]: [{}],
  [contractSource.id]: [
    { title: "The whole contract", variables: [hash], query: { hash: "$hash", bundled: "1" } },
    { title: "One operation's", variables: [hash], query: { hash: "$hash", operation_id: "rerank" } }
  ],
  [salesData.id]: [{ needs: "503 and `freshness: unavailable` while there is no verified snapshot.", status: 503 }]
}
