import type { ImportRequest } from "@tollgate/contract/admin/Import"

/** What the form holds, as it was typed. */
export interface Draft {
  readonly source: "file" | "text"
  readonly file: { readonly name: string; readonly text: string } | undefined
  readonly text: string
  readonly upstream: string
  readonly address: string
  readonly isPrivate: boolean
  readonly credential: "none" | "bearer" | "header"
  readonly header: string
  readonly price: string
  readonly only: string
  readonly prefix: string
}

export const emptyDraft: Draft = {
  source: "file",
  file: undefined,
  text: "",
  upstream: "",
  address: "",
  isPrivate: false,
  credential: "none",
  header: "X-Api-Key",
  price: "",
  only: "",
  prefix: ""
}

export type Problems = { readonly [Name in keyof Draft]?: string | undefined }

const documentOf = ({ file, source, text }: Draft): string => (source === "file" ? (file?.text ?? "") : text)

/** A request has up to 20 MB, and some of it are escapes. */
const mostLength = 19 * 1024 * 1024

const documentProblem = (draft: Draft): string | undefined => {
  const { length } = documentOf(draft)
  if (length === 0) return draft.source === "file" ? "Choose a file." : "Paste the document."
  return length > mostLength ? "The document is larger than 19 MB." : undefined
}

const unless = (isRight: boolean, problem: string): string | undefined => (isRight ? undefined : problem)

/** What is wrong, by field. */
export const problemsIn = (draft: Draft): Problems => ({
  [draft.source]: documentProblem(draft),
  upstream: unless(
    /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/.test(draft.upstream.trim()),
    "A name of up to 64 letters, digits, spaces and . _ -"
  ),
  address: unless(
    draft.address.trim() === "" || /^https?:\/\/\S+$/.test(draft.address.trim()),
    "An address such as https://api.example.com"
  ),
  header: unless(
    draft.credential !== "header" || /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(draft.header.trim()),
    "The name of a header, such as X-Api-Key"
  ),
  price: unless(
    /^(?:|free|\d{1,7}(?:\.\d{1,9})?)$/.test(draft.price.trim()),
    "An amount of USD with at most nine decimals, such as 0.002, or free"
  ),
  prefix: unless(/^(?:|[a-z0-9][a-z0-9_-]{0,63})$/.test(draft.prefix.trim()), "Lower-case letters, digits, _ and -")
})

const linesIn = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))

const credentialOf = ({ credential, header }: Draft): Pick<ImportRequest, "credential"> => {
  if (credential === "none") return {}
  return { credential: credential === "bearer" ? {} : { header: header.trim() } }
}

export const requestOf = (draft: Draft): ImportRequest => {
  const [address, price, prefix] = [draft.address.trim(), draft.price.trim(), draft.prefix.trim()]
  const only = linesIn(draft.only)
  return {
    document: documentOf(draft),
    upstream: draft.upstream.trim(),
    ...(address === "" ? {} : { base_url: address }),
    ...(draft.isPrivate ? { private: true } : {}),
    ...credentialOf(draft),
    ...(price === "" ? {} : { price }),
    ...(only.length === 0 ? {} : { only }),
    ...(prefix === "" ? {} : { prefix })
  }
}
