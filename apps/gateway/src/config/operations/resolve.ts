import * as Effect from "effect/Effect"
import type { Names } from "@tollgate/contract/Names"
import type { Binding, Operation } from "@tollgate/contract/Operation"
import type { Price } from "@tollgate/contract/price/Price"
import * as limits from "@tollgate/contract/limits"
import type { LimitGroup } from "@tollgate/contract/limits"
import type { Target } from "@tollgate/gateway/operator"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { decode } from "../text/issues.ts"
import { type Document, objectOf } from "../text/jsonc.ts"
import type { Path, Problem } from "../text/Problem.ts"
import { unknownUpstream } from "../sections/routes.ts"
import { onlyInCloud } from "../sections/upstreams.ts"
import { Entry, FileEntry, Schemas } from "./Entry.ts"
import { bodyKindOf, type Described, describeParameters, namesIn, namesOf, requestOf } from "./parameters.ts"
import type { OperationFile } from "./files.ts"
import { answerHeaderProblem, callerHeaderProblem } from "../text/headers.ts"
import { TakenPaths } from "./paths.ts"
import { priceProblem, readPrice } from "./price.ts"
import { SchemaFile } from "./schemas.ts"
import { taskOperations, taskProblem, answerProblem, replayProblem, toOperation } from "./toOperation.ts"

/** A computation that can pause between its steps. */
export type Steps<A> = Generator<void, A, void>

const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** About two milliseconds, if a step is an operation. */
const stepsInTurn = 10

/** In turns with all else that the thread does: with thousands of steps, callers would wait. */
export const inTurns = Effect.fnUntraced(function* <A>(steps: Steps<A>) {
  for (let taken = 1; ; taken++) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (taken % stepsInTurn === 0) yield* Effect.yieldNow
  }
})

export interface Custom {
  readonly operation: Operation
  /** What looks after its tasks. The gateway answers it. */
  readonly ofTask: ReadonlyArray<Operation>
  readonly upstream: string
  /** What the upstream charges for it. */
  readonly cost?: Price
  readonly target: Pick<Target, "path" | "names" | "forwardedHeaders" | "tool" | "body">
}

interface FileProblems {
  readonly file: OperationFile | undefined
  readonly problems: ReadonlyArray<Problem>
}

export interface Surroundings {
  readonly names: Names
  readonly bindings: Readonly<Record<string, Binding>>
  /** The protocol of each upstream. */
  readonly upstreams: ReadonlyMap<string, string>
}

/** The protocol of each upstream, even of an invalid one: operations are checked against it. */
export const protocolsOf = (upstreams: unknown): ReadonlyMap<string, string> =>
  new Map(Object.entries(objectOf(upstreams)).map(([name, upstream]) => [name, String(objectOf(upstream).protocol)]))

const builtInGroups = new Set<string>(Object.values(limits).map(({ id }) => id))

/** Resolves the entries of all files one after the other, because no two may have the same id, path or group. */
class Resolver {
  readonly custom: Array<Custom> = []
  readonly #around: Surroundings
  readonly #taken: TakenPaths
  readonly #groups = new Map<string, LimitGroup>()

  constructor(around: Surroundings) {
    this.#around = around
    this.#taken = new TakenPaths(around.names, around.bindings)
  }

  /** `others` resolves an entry that names a file. `name` is that of such a file. */
  *resolve(
    { operations, schemas }: Readonly<Record<string, unknown>>,
    others: ((name: string) => Steps<void>) | undefined,
    name?: string
  ): Steps<ReadonlyArray<Problem>> {
    const problems: Array<Problem> = []
    const named = schemas === undefined ? undefined : decode(Schemas, schemas, ["schemas"])
    if (named !== undefined && Result.isFailure(named)) problems.push(...named.failure)
    const file = new SchemaFile(schemas)
    if (!Array.isArray(operations)) {
      if (operations !== undefined) problems.push({ path: ["operations"], message: "expected a list" })
      return [...problems, ...file.problems]
    }
    for (const [i, written] of operations.entries()) {
      yield
      const at: Path = ["operations", i]
      if (typeof written === "object" && written !== null && "file" in written) {
        const entry = decode(FileEntry, written, at)
        if (Result.isFailure(entry)) problems.push(...entry.failure)
        else if (others === undefined) problems.push({ path: at, message: "a file of operations names no other files" })
        else yield* others(entry.success.file)
        continue
      }
      const entry = decode(Entry, written, at)
      if (Result.isFailure(entry)) problems.push(...entry.failure)
      else this.#entry(entry.success, file, at, problems, name)
    }
    return [...problems, ...file.problems]
  }

  #entry(entry: Entry, schemas: SchemaFile, at: Path, problems: Array<Problem>, name: string | undefined): void {
    const add = (path: Path, message: string | undefined) => {
      if (message !== undefined) problems.push({ path: [...at, ...path], message })
    }
    const { names, upstreams } = this.#around
    for (const [key, message] of this.#taken.take(entry, name)) add([key], message)
    const written = typeof entry.upstream === "string" ? { name: entry.upstream } : entry.upstream
    const nameAt = typeof entry.upstream === "string" ? ["upstream"] : ["upstream", "name"]
    const protocol = upstreams.get(written.name)
    // What starts tasks is priced and limited alike, whatever form they have.
    const kind = entry.task === undefined ? (protocol ?? "json") : "task"
    if (protocol === undefined) add(nameAt, unknownUpstream(written.name, [...upstreams.keys()]))

    const described = describeParameters(entry, schemas, names, at, add)
    if (entry.method === "GET" && entry.body !== undefined) add(["body"], "a GET has no body")
    const document =
      entry.body?.schema === undefined ? undefined : schemas.document(entry.body.schema, [...at, "body", "schema"])
    const request = requestOf(entry, described, document)

    const price = readPrice(entry.price, [...at, "price"], kind)
    if (Result.isFailure(price)) problems.push(...price.failure)
    const used: Price = Result.getOrElse(price, () => ({ contract: "free" as const }))
    add(["price"], priceProblem(used, kind, request.body !== undefined && request.bodyType === undefined))
    if (entry.replay !== undefined && Result.isSuccess(price)) add(["replay"], replayProblem(entry.replay, used))
    const cost = entry.cost === undefined ? undefined : readPrice(entry.cost, [...at, "cost"], kind)
    if (cost !== undefined && Result.isFailure(cost)) problems.push(...cost.failure)
    const charged = cost && Option.getOrUndefined(Result.getSuccess(cost))
    if (charged !== undefined) {
      add(["cost"], priceProblem(charged, kind, request.body !== undefined && request.bodyType === undefined))
    }
    add(["answer", "type"], answerProblem(entry, used, protocol ?? "json"))
    if (entry.limits?.tasks !== undefined && kind !== "task") add(["limits", "tasks"], "only for what starts tasks")
    for (const [i, header] of (entry.answer?.headers ?? []).entries()) {
      add(["answer", "headers", i], answerHeaderProblem(header, names))
    }
    this.#target(entry, described, protocol, add)

    const operation = toOperation(entry, request, used, kind, schemas, at)
    const ofTask = taskOperations(entry, schemas, at)
    if (entry.task !== undefined) {
      if (Result.isSuccess(price)) add(["task"], taskProblem(entry.task, used, protocol ?? "json"))
      for (const also of ofTask) {
        for (const [, message] of this.#taken.take(also, name)) add(["task", "at"], `${also.id}: ${message}`)
      }
    }
    this.#group(operation.limit, entry, add)
    const renamed = namesOf(described)
    const { sentAs } = bodyKindOf(entry.body?.type)
    const { forwardHeaders, path, tool } = { forwardHeaders: undefined, path: undefined, tool: undefined, ...written }
    this.custom.push({
      operation,
      ofTask,
      upstream: written.name,
      ...(charged === undefined ? {} : { cost: charged }),
      target: {
        ...(path === undefined ? {} : { path }),
        ...(renamed === undefined ? {} : { names: renamed }),
        ...(forwardHeaders === undefined ? {} : { forwardedHeaders: forwardHeaders.map((name) => name.toLowerCase()) }),
        ...(tool === undefined ? {} : { tool }),
        ...(sentAs === undefined ? {} : { body: sentAs })
      }
    })
  }

  #target(
    { body, upstream }: Entry,
    described: ReadonlyArray<Described>,
    protocol: string | undefined,
    add: (path: Path, message: string | undefined) => void
  ): void {
    if (onlyInCloud.has(protocol ?? "")) add(["upstream"], `the protocol ${protocol} is only for operations of models`)
    if (protocol === "mcp" && (typeof upstream === "string" || upstream.tool === undefined)) {
      add(["upstream"], 'an MCP server has tools: name one with { "name": …, "tool": … }')
    }
    const { bodyType, sentAs } = bodyKindOf(body?.type)
    if (protocol === "mcp" && (bodyType ?? sentAs) !== undefined) {
      add(["body", "type"], "tools of an MCP server take JSON")
    } else if (bodyType !== undefined && protocol !== "json") add(["body", "type"], "only for the protocol json")
    if (typeof upstream === "string") return
    for (const [i, name] of (upstream.forwardHeaders ?? []).entries()) {
      const isParameters = described.some(
        ({ name: own, part, sentAs = own }) => part === "header" && sentAs.toLowerCase() === name.toLowerCase()
      )
      const taken = isParameters ? "a parameter is sent in this header" : undefined
      add(["upstream", "forwardHeaders", i], callerHeaderProblem(name, this.#around.names) ?? taken)
    }
    if (upstream.tool !== undefined && protocol !== "mcp") add(["upstream", "tool"], "only for the protocol mcp")
    if (upstream.path === undefined) return
    const there = namesIn(upstream.path)
    const here = described.filter(({ part }) => part === "path")
    for (const used of there) {
      const isKnown = here.some(({ name, sentAs }) => name === used || sentAs === used)
      if (!isKnown) add(["upstream", "path"], `the operation's path does not have {${used}}`)
    }
    for (const { name, sentAs } of here) {
      const isUsed = there.includes(name) || (sentAs !== undefined && there.includes(sentAs))
      if (!isUsed) add(["upstream", "path"], `{${name}} of the operation's path is missing`)
    }
  }

  #group(limit: LimitGroup, entry: Entry, add: (path: Path, message: string) => void): void {
    if (limit === limits.standard) return
    const path = entry.limits?.group === undefined ? ["limits"] : ["limits", "group"]
    if (builtInGroups.has(limit.id)) return add(path, "the gateway has a group of this name")
    const other = this.#groups.get(limit.id)
    this.#groups.set(limit.id, other ?? limit)
    const isSame =
      other === undefined ||
      (other.rpm === limit.rpm &&
        other.tokens === limit.tokens &&
        other.concurrency === limit.concurrency &&
        other.tasks === limit.tasks)
    if (!isSame) add(path, "another operation of this group has other limits")
  }
}

export const repeatedIn = ({ repeated }: Document): ReadonlyArray<Problem> =>
  repeated.map((path) => ({ path, message: "the object has this key twice" }))

/** `imported` is what an import wrote for the next one to compare with. */
const known = ["$schema", "operations", "schemas", "imported"]

const unknownKeys = (value: unknown): ReadonlyArray<Problem> =>
  Object.keys(objectOf(value))
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [key], message: `not a known key; expected ${known.join(", ")}` }))

interface Resolved {
  readonly custom: ReadonlyArray<Custom>
  readonly problems: ReadonlyArray<FileProblems>
}

/** The operations of the configuration file and of the files that it names, in their order. Each is a step. */
export const resolving = function* (
  main: Readonly<Record<string, unknown>>,
  files: ReadonlyMap<string, OperationFile>,
  around: Surroundings
): Steps<Resolved> {
  const resolver = new Resolver(around)
  const problems: Array<FileProblems> = []
  const done = new Set<string>()
  const inFile = function* (name: string): Steps<void> {
    const file = files.get(name)
    if (file === undefined || done.has(name)) return
    done.add(name)
    const { document } = file
    const found =
      typeof document.value === "object" && document.value !== null && !Array.isArray(document.value)
        ? [...unknownKeys(document.value), ...(yield* resolver.resolve(objectOf(document.value), undefined, name))]
        : [{ path: [], message: 'expected an object with "operations"' }]
    problems.push({ file, problems: [...repeatedIn(document), ...found] })
  }
  problems.push({ file: undefined, problems: yield* resolver.resolve(main, inFile) })
  return { custom: resolver.custom, problems }
}

export const resolve = (...from: Parameters<typeof resolving>): Resolved => atOnce(resolving(...from))
