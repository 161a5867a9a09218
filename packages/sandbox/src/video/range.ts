export type Range =
  | { readonly kind: "all" }
  | { readonly kind: "part"; readonly first: number; readonly last: number }
  /** The range is outside the file. */
  | { readonly kind: "none" }

const shape = /^bytes=(\d{0,15})-(\d{0,15})$/i

/** Parses a Range header. One with several ranges, or an invalid one, is ignored. */
export const rangeOf = (header: string | undefined, size: number): Range => {
  const match = shape.exec(header?.trim() ?? "")
  if (match === null) return { kind: "all" }
  const [, from = "", to = ""] = match
  if (from === "") {
    if (to === "") return { kind: "all" }
    return Number(to) === 0 ? { kind: "none" } : { kind: "part", first: Math.max(0, size - Number(to)), last: size - 1 }
  }
  const first = Number(from)
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== "" && Number(to) < first) return { kind: "all" }
  return first >= size ? { kind: "none" } : { kind: "part", first, last }
}
