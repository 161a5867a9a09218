export interface Change {
  readonly direction: "up" | "down" | "same"
  /** `12% more`. */
  readonly words: string
}

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 })
const times = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 })

/** How many times as much. Beyond a hundred, the window before was as good as empty. */
const timesWords = (ratio: number): string =>
  ratio > 100 ? "over 100 times as much" : `${times.format(ratio)} times as much`

/** How a figure differs from the same figure of the window before. `undefined`: there is nothing to compare with. */
export const changeOf = (now: number | bigint, before: number | bigint): Change | undefined => {
  const [current, past] = [BigInt(now), BigInt(before)]
  if (past <= 0n) return undefined
  if (current === past) return { direction: "same", words: "as before" }
  const thousandths = Number(((current - past) * 1000n) / past)
  const direction = current > past ? "up" : "down"
  if (thousandths >= 1_000) return { direction, words: timesWords(thousandths / 1_000 + 1) }
  const size = Math.abs(thousandths)
  return {
    direction,
    words: `${size < 5 ? "slightly" : percent.format(size / 1_000)} ${direction === "up" ? "more" : "less"}`
  }
}

const share = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })

/** A part of a whole, `12.5%`. A whole of nothing has no parts. */
export const shareOf = (part: number | bigint, whole: number | bigint): string =>
  BigInt(whole) <= 0n ? share.format(0) : share.format(ratioOf(part, whole))

/** Between 0 and 1. */
export const ratioOf = (part: number | bigint, whole: number | bigint): number => {
  const [one, all] = [BigInt(part), BigInt(whole)]
  return all <= 0n ? 0 : Math.min(1, Math.max(0, Number((one * 10_000n) / all) / 10_000))
}
