import type { Sealed } from "../Conversation.ts"

// Google's SDKs decode signatures as base64, and some write it in the other alphabet. So the name of another maker is a prefix
// that keeps it valid: letters, a multiple of four.

const makers = [
  { by: "amazon", prefix: "amazonsigned", from: /[-_]/g, to: { "-": "+", _: "/" } },
  { by: "anthropic", prefix: "anthropicsig", from: /[-_]/g, to: { "-": "+", _: "/" } },
  { by: "openai", prefix: "openaisigned", from: /[+/]/g, to: { "+": "-", "/": "_" } }
] as const

/** What stands for a signature that is not there, as Google documents it. */
export const notSigned = "skip_thought_signature_validator"

// The other word for it, the same as bytes, and what LangChain sends.
const unsigned = new RegExp(
  `^(?:${notSigned}|context_engineering_is_the_way_to_go|c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3|ErYCCrMCAdHtim9kOoOkrPiCNVsmlpMIKd7ZMxgiFbVQOkgp)`
)

export const readSealed = (signature: string): Sealed | undefined => {
  if (unsigned.test(signature)) return undefined
  const maker = makers.find(({ prefix }) => signature.startsWith(prefix))
  if (maker === undefined) return { by: "google", data: signature }
  const alphabet: Readonly<Record<string, string>> = maker.to
  const data = signature.slice(maker.prefix.length).replaceAll(maker.from, (char) => alphabet[char] ?? char)
  return { by: maker.by, data }
}

export const writeSealed = ({ by, data }: Sealed): string =>
  (makers.find((maker) => maker.by === by)?.prefix ?? "") + data
