import { ImportRequest } from "@tollgate/contract/admin/Import"
import { decode } from "../../../ui/problems.ts"

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

/** What is wrong, by field. */
export const problemsIn = (draft: Draft): Problems => {
  const { problems = {} } = decode(ImportRequest, requestOf(draft))
  const { base_url: _, credential: header, document: __, ...rest } = problems
  const address = draft.address.trim()
  return {
    ...rest,
    header,
    address:
      address === "" || /^https?:\/\/\S+$/.test(address) ? undefined : "An address such as https://api.example.com",
    [draft.source]: documentProblem(draft)
  }
}
