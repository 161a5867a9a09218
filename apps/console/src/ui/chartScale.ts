/** Room for the numbers of the axis, in pixels. */
export const plotLeft = 56

const steps = [1, 2, 5, 10] as const

/** About four round numbers from zero up to at least the largest value. All of them are whole. */
export const ticksFor = (largest: number): ReadonlyArray<number> => {
  if (!(largest > 0)) return [0, 1]
  const size = 10 ** Math.max(0, Math.floor(Math.log10(largest / 4)))
  const step = (steps.find((step) => step * size * 4 >= largest) ?? 10) * size
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, i) => i * step)
}

/** The indexes of at most `most` labels, evenly spaced, that begin with the first. */
export const labelled = (length: number, most: number): ReadonlyArray<number> => {
  const each = Math.max(1, Math.ceil(length / Math.max(1, most)))
  return Array.from({ length: Math.ceil(length / each) }, (_, i) => i * each)
}
