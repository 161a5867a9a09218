import { modules } from "./generated/modules.ts"
import type { Operation } from "./Operation.ts"

/** The name that an operation has in programs. */
export type OperationName = keyof typeof modules

interface Module {
  readonly summary: string
  readonly description?: string
  readonly [name: string]: unknown
}

const described = ([name, module]: readonly [string, Module]): readonly [string, Operation] => {
  const { description, summary } = module
  const about = description === undefined ? { summary } : { summary, description }
  return [name, { ...(module[name] as Operation), ...about }]
}

/** Every operation of the interface by its name, with its summary and description, in the order of the reference. */
export const named = Object.fromEntries(Object.entries(modules).map(described)) as Readonly<
  Record<OperationName, Operation>
>

export const operations: ReadonlyArray<Operation> = Object.values(named)

/** What is known of operations by their names, by their ids instead, which are templates. */
export const byId = <A>(byName: Readonly<Partial<Record<OperationName, A>>>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(byName).map(([name, known]) => [named[name as OperationName].id, known as A]))
