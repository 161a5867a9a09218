import {
  type Assembler,
  type Fields,
  fieldsIn,
  inOrder,
  isFields,
  listIn,
  partAt,
  type TextRoom,
  withFields
} from "./Assembler.ts"

type Values = Map<string, unknown>

/** Fields that are whole in one event. Other texts come in pieces. */
const whole = new Set(["role", "id", "type", "name", "finish_reason"])

const mostFields = 100

/** Adds the fields of an event to what came before. */
const add = (values: Values, fields: Fields, room: TextRoom): void => {
  for (const [name, value] of Object.entries(fields)) {
    if (values.size >= mostFields && !values.has(name)) continue
    const before = values.get(name)
    if (typeof value === "string") {
      const isPiece = typeof before === "string" && !whole.has(name)
      if (value !== "" || before === undefined || before === null)
        values.set(name, whole.has(name) ? value : (isPiece ? before : "") + room.fitting(value))
    } else if (Array.isArray(value)) {
      const list = Array.isArray(before) ? (before as Array<unknown>) : []
      if (room.takeList(value)) list.push(...(value as Array<unknown>))
      values.set(name, list)
    } else if (isFields(value)) {
      const inner = before instanceof Map ? (before as Values) : new Map<string, unknown>()
      add(inner, value, room)
      values.set(name, inner)
    } else if (value !== null || before === undefined) values.set(name, value)
  }
}

const toFields = (values: Values): Fields =>
  Object.fromEntries(
    [...values].map(([name, value]) => [name, value instanceof Map ? toFields(value as Values) : value])
  )

interface Choice {
  readonly message: Values
  readonly calls: Map<number, Values>
  readonly more: Values
}

/** Chat completions. */
export const openai = (room: TextRoom): Assembler => {
  let head: Fields | undefined
  let usage: unknown
  const choices = new Map<number, Choice>()

  const takeChoice = ({ delta, index, ...more }: Fields): void => {
    const choice = partAt(choices, index, () => ({ message: new Map(), calls: new Map(), more: new Map() }))
    if (choice === undefined) return
    const { tool_calls, ...message } = fieldsIn(delta)
    add(choice.message, message, room)
    for (const { index: at, ...call } of listIn(tool_calls)) {
      const values = partAt(choice.calls, at, () => new Map<string, unknown>())
      if (values !== undefined) add(values, call, room)
    }
    add(choice.more, more, room)
  }

  return {
    take: ({ choices: given, object: _, usage: used, ...more }) => {
      if (!Array.isArray(given)) return
      head = withFields(head ?? {}, more)
      usage = used ?? usage
      for (const choice of listIn(given)) takeChoice(choice)
    },
    answer: () =>
      head && {
        object: "chat.completion",
        ...head,
        choices: [...choices].map(([index, { calls, message, more }]) => ({
          index,
          message: {
            ...toFields(message),
            ...(calls.size === 0 ? {} : { tool_calls: inOrder(calls).map(toFields) })
          },
          ...toFields(more)
        })),
        ...(usage === undefined ? {} : { usage })
      }
  }
}
