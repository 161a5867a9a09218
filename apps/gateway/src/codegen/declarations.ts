import * as declared from "@tollgate/contract/errors/Family"
import type { Components } from "./Components.ts"
import { fieldLines, comment } from "./text.ts"
import type { Operation } from "./Operation.ts"

export interface OperationNames {
  readonly call: string
  /** Of what several functions share. */
  readonly description: string
  readonly stream: string | undefined
  readonly pages: string | undefined
  readonly input: string
  readonly answer: string
  readonly error: string
  readonly event: string
  readonly streamError: string
}

const isList = (statuses: ReadonlyArray<number>, list: ReadonlyArray<number>): boolean =>
  statuses.length === list.length && statuses.every((status) => list.includes(status))

const statusesOf = ({ description: { errors, price } }: Operation): ReadonlyArray<number> =>
  errors ?? (price === "free" ? declared.free : declared.billed)

const unionOf = (statuses: ReadonlyArray<number>): string => (statuses.length === 0 ? "never" : statuses.join(" | "))

const errorOf = (operation: Operation): string => {
  const statuses = statusesOf(operation)
  if (isList(statuses, declared.billed)) return "BilledError"
  return isList(statuses, declared.free) ? "FreeError" : `DiscoveryError<${unionOf(statuses)}>`
}

const anything = "{ readonly [name: string]: unknown }"

const inputType = ({ input, isOpen }: Operation, name: string, { writer }: Components): string => {
  if (input.length === 0) return `export type ${name} = ${isOpen ? `${anything} | void` : "void"}\n`
  return `export interface ${name} {\n${writer.begin().fields(input, { indent: "  ", open: false, depth: 0 })}}\n`
}

/** The fields of a description that differ from what is assumed without them. */
const descriptionOf = (operation: Operation): object => {
  const { errors, ...description } = operation.description
  const byDefault = description.price === "free" ? declared.free : declared.billed
  return isList(errors ?? byDefault, byDefault) ? description : { ...description, errors }
}

const streamed = (operation: Operation, names: OperationNames, { writer }: Components): string => {
  const { description, event, input, stream = "", streamError } = names
  return [
    writer.declaration(event, operation.event, { open: true }),
    `export type ${streamError} = DiscoveredStreamError<${unionOf(statusesOf(operation))}>\n`,
    `\n${comment(["The same as a stream of events.", ...operation.about])}` +
      `export const ${stream}: StreamFunction<${input}, ${event}, ${streamError}> =\n` +
      `  /* @__PURE__ */ describedStream(${description})\n`
  ].join("")
}

const paged = (operation: Operation, { answer, call, description, error, input, pages = "" }: OperationNames): string =>
  `\n${comment(["The same, page after page. A page is called, and paid for, when it is taken.", ...operation.about])}` +
  `export const ${pages}: PagesFunction<${input}, ${answer}, ${error}> =\n` +
  `  /* @__PURE__ */ describedPages(${call}, ${description})\n`

export const declarationsOf = (operation: Operation, names: OperationNames, components: Components): string => {
  const { answer, call, description, error, input, pages, stream } = names
  const types = [
    inputType(operation, input, components),
    operation.description.answer === "bytes"
      ? `export type ${answer} = BinaryAnswer\n`
      : components.writer.declaration(answer, operation.answer, { open: true }),
    `export type ${error} = ${errorOf(operation)}\n`
  ].join("")
  const head = `\n${comment(operation.about)}export const ${call}: CallFunction<${input}, ${answer}, ${error}> =\n`
  const fields = descriptionOf(operation)
  if (stream === undefined && pages === undefined) {
    return `${types}${head}  /* @__PURE__ */ described(${fieldLines(fields, "  ")})\n`
  }
  const named = stream === undefined ? "" : `, "${stream}"`
  return [
    types,
    `\nconst ${description}: Description = ${fieldLines(fields)}\n`,
    `${head}  /* @__PURE__ */ described(${description}${named})\n`,
    stream === undefined ? "" : `\n${streamed(operation, names, components)}`,
    pages === undefined ? "" : paged(operation, names)
  ].join("")
}
