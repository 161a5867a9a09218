/** A shell variable that is set before the request. */
export interface Variable {
  readonly name: string
  /** An expression of the shell and of TypeScript, or a field of the answer to another operation's first example. */
  readonly source:
    | { readonly shell: string; readonly typescript?: string }
    | { readonly answerTo: string; readonly read: string }
  /** A valid value, for checks that run no shell. */
  readonly sample: string
}

type Values = Readonly<Record<string, string>>

/** A request, such as one that works on the sandbox. The value `$name` stands for the variable of that name. */
export interface Example {
  /** Missing if the operation has only one example. */
  readonly title?: string
  /** Shown above the command. */
  readonly note?: string
  readonly variables?: ReadonlyArray<Variable>
  /** The whole URL, if a variable holds it; `query` then has sample values of its parameters. */
  readonly address?: string
  readonly path?: Values
  readonly query?: Values
  readonly header?: Values
  readonly headers?: Values
  readonly body?: unknown
  /** The content type of the answer, if it is not the operation's own. */
  readonly contentType?: string
  /** The status of the answer, if it is not 200. */
  readonly status?: number
  /** The client has no function that reads an answer in this format. */
  readonly untyped?: true
}

/** By operation id, which is a template over `Names`. */
export type Examples = Readonly<Record<string, readonly [Example, ...ReadonlyArray<Example>]>>

/** The variable that a value stands for. A value that names none stands for itself. */
export const variableIn = ({ variables = [] }: Example, value: string): string | undefined =>
  value.startsWith("$") ? variables.find(({ name }) => name === value.slice(1))?.name : undefined

/** Replaces each variable by its sample. */
export const withSamples = ({ variables = [] }: Example, value: string): string =>
  variables.reduce((text, { name, sample }) => text.replace(`$${name}`, sample), value)
