export type Range =
  | { readonly kind: "all" }
  | { readonly kind: "part"; readonly first: number; readonly last: number }
  /** None of what is asked for is there. */
  | { readonly kind: "none" }

const shape = /^bytes=(\d{0,15})-(\d{0,15})$/i

/** Reads a Range header. One that is not understood, or asks for several parts, is as none at all. */
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
