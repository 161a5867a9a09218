import { nano } from "@tollgate/contract/Money"
import type { Evidence } from "@tollgate/contract/price/evidence"
import type { RecordedCall } from "./recorded.ts"

/** As `JSON.stringify` writes it into the ledger: amounts are digits. */
type Written =
  | Exclude<Evidence, { readonly kind: "task" }>
  | (Omit<Extract<Evidence, { readonly kind: "task" }>, "reported"> & { readonly reported?: string })

/** Of a call that got a kept answer: the first call's evidence, and the share of its price. */
interface Kept {
  readonly kind: "kept"
  readonly share: string
  readonly of: Written
}

const evidenceOf = (written: Written): Evidence => {
  if (written.kind !== "task") return written
  const { reported, ...task } = written
  return reported === undefined ? task : { ...task, reported: nano(BigInt(reported)) }
}

/** `undefined`: the ledger has none. */
export const readEvidence = (text: string | null): Pick<RecordedCall, "evidence" | "share"> => {
  if (text === null) return { evidence: undefined }
  const written = JSON.parse(text) as Written | Kept
  return written.kind === "kept"
    ? { evidence: evidenceOf(written.of), share: BigInt(written.share) }
    : { evidence: evidenceOf(written) }
}
