/** A shell variable that holds a part of the request by the time it is made. */
export interface Variable {
  readonly name: string
  /** By a shell's own means, or out of the answer to the first example of another operation. */
  readonly is: { readonly shell: string } | { readonly answerTo: string; readonly read: string }
  /** A value of its kind, for whoever has no shell. */
  readonly like: string
}

type Values = Readonly<Record<string, string>>

/** A request that works on the sandbox. A value that is `$name` stands for that variable. */
export interface Example {
  /** Missing where the operation has only one. */
  readonly title?: string
  /** What has to be so before it works. */
  readonly needs?: string
  readonly variables?: ReadonlyArray<Variable>
  /** The whole address, where a variable holds it; `query` then says what is like its own. */
  readonly address?: string
  readonly path?: Values
  readonly query?: Values
  readonly headers?: Values
  readonly body?: unknown
  /** Of what the answer is. The operation's own unless it says so. */
  readonly contentType?: string
  /** 200 unless it says so. */
  readonly status?: number
}

/** By the operation's id, a template over `Names`. */
export type Examples = Readonly<Record<string, readonly [Example, ...ReadonlyArray<Example>]>>

/** With each variable replaced by a value of its kind. */
export const likely = ({ variables = [] }: Example, value: string): string =>
  variables.reduce((text, { like, name }) => text.replace(`$${name}`, like), value)
