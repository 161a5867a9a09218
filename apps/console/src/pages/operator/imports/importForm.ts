import { ImportRequest } from "@tollgate/contract/admin/Import"
import type { Description } from "../../../ui/readForm.ts"

/** A request has up to 20 MB, and some of it are escapes. */
const mostLength = 19 * 1024 * 1024

const isTooLarge = (text: unknown): string | undefined =>
  typeof text === "string" && text.length > mostLength ? "The document is larger than 19 MB." : undefined

const versions = "OpenAPI 3.0 to 3.2, as JSON or YAML."

const linesIn = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))

/** The document and what the operator wants of it. */
export const importForm: Description<ImportRequest> = {
  schema: ImportRequest,
  fields: {
    source: {
      label: "The document comes from",
      options: [
        ["file", "A file"],
        ["text", "Pasted text"]
      ],
      initial: "file",
      half: true
    },
    file: {
      label: "OpenAPI document",
      hint: `${versions} 19 MB at most.`,
      kind: "file",
      required: true,
      half: true,
      when: ({ source }) => source !== "text"
    },
    text: {
      label: "OpenAPI document",
      hint: versions,
      kind: "lines",
      required: true,
      when: ({ source }) => source === "text"
    },
    upstream: {
      label: "Name of the upstream",
      hint: "Such as weather. Ids and paths of the operations begin with it.",
      required: true,
      half: true
    },
    base_url: { label: "Address", hint: "Empty: the server that the document names.", half: true },
    price: {
      label: "Price of a call in USD",
      hint: "Such as 0.002, or free. Empty: calls are refused until there is a price.",
      half: true
    },
    credential: {
      label: "Credential",
      hint: "How the gateway signs in at the upstream.",
      options: [
        ["", "None"],
        ["bearer", "A bearer token"],
        ["header", "A key in a header"]
      ],
      half: true
    },
    header: {
      label: "Header",
      initial: "X-Api-Key",
      required: true,
      when: ({ credential }) => credential === "header"
    },
    prefix: {
      label: "Prefix",
      hint: "The first part of ids and paths. Empty: the name of the upstream.",
      folded: true
    },
    only: {
      label: "Only these operations",
      hint: "One on each line: an id, a path, GET /path or a tag. * stands for any text. Empty: all.",
      kind: "lines",
      read: linesIn,
      folded: true
    },
    private: { label: "Allow an address of this machine or of a private network", kind: "check", folded: true }
  },
  assemble: ({ credential, file, header, private: isPrivate, source: _, text, ...rest }) => ({
    ...rest,
    document: file ?? text ?? "",
    ...(isPrivate === true ? { private: true } : {}),
    ...(credential === "bearer" ? { credential: {} } : credential === "header" ? { credential: { header } } : {})
  }),
  check: ({ base_url: address, file, text }) => ({
    file: isTooLarge(file),
    text: isTooLarge(text),
    base_url:
      address === undefined || /^https?:\/\/\S+$/.test(String(address))
        ? undefined
        : "An address such as https://api.example.com"
  })
}
