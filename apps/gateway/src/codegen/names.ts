const words = (text: string): ReadonlyArray<string> => text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "")

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const camel = (text: string): string =>
  words(text)
    .map((word, i) => (i === 0 ? word.slice(0, 1).toLowerCase() + word.slice(1) : upperFirst(word)))
    .join("")

/** `weather.weather.forecast`, of the API `weather` at an upstream of the same name, is `weatherForecast`. */
const short = (id: string): string => {
  const [first = "", ...rest] = words(id)
  return camel([first, ...(rest.length > 1 && rest[0] === first ? rest.slice(1) : rest)].join(" "))
}

/** Keeps the parts of an id apart: `a.b_c` is `a_bC`, and `a_b.c` is `aB_c`. */
const spelled = (id: string): string => id.split(".").map(camel).join("_")

/** Words that cannot be the name of a function, names of the generated file, and what promises and objects call by themselves. */
const reserved = new Set(
  (
    "arguments async await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null of package private protected public return " +
    "static super switch this throw true try type typeof undefined var void while with yield " +
    "api checkContract contractCheck contractHash described describedStream functions onPromises settings verifyContract quote resume " +
    "then catch finally constructor prototype toString toJSON valueOf hasOwnProperty"
  ).split(" ")
)

const usable = (name: string): string => {
  const started = /^[A-Za-z]/.test(name) ? name : `_${name}`
  return reserved.has(started) ? `${started}_` : started
}

/** Takes the first of these names that is free, or the last with a number. */
export const takeName = (used: Set<string>, ...wanted: ReadonlyArray<string>): string => {
  let name = wanted.find((name) => !used.has(name))
  for (let n = 2; name === undefined; n++) {
    if (!used.has(`${wanted.at(-1)}${n}`)) name = `${wanted.at(-1)}${n}`
  }
  used.add(name)
  return name
}

/** A function name for each id. Where ids share a name, all get a longer one, so none moves when one is added. */
export const functionNames = (ids: ReadonlyArray<string>, taken: ReadonlySet<string>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  const used = new Set(taken)
  const sorted = ids.toSorted()
  const byShort = Map.groupBy(sorted, (id) => usable(short(id)))
  const bySpelled = Map.groupBy(sorted, (id) => usable(spelled(id)))
  for (const id of sorted) {
    const name = usable(short(id))
    const long = usable(spelled(id))
    if (byShort.get(name)?.length === 1 && !taken.has(name)) names.set(id, takeName(used, name, long))
    else names.set(id, takeName(used, bySpelled.get(long)?.length === 1 ? long : `${long}_`))
  }
  return names
}

export class TypeNames {
  readonly #used: Set<string>

  constructor(taken: Iterable<string>) {
    this.#used = new Set(taken)
  }

  /** The name of a type that is named by its author. */
  take(wanted: string): string {
    return this.claim(words(wanted).map(upperFirst).join(""))
  }

  /** This name, or the next free one with a number. */
  claim(wanted: string): string {
    return takeName(this.#used, upperFirst(wanted.replace(/^_+/, "")).replace(/^(?![A-Za-z])/, "Type"))
  }
}
