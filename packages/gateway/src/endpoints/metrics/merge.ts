import type { Family, HistogramSample, Sample, Snapshot } from "./Family.ts"

const isGreater = (one: Sample["value"], other: Sample["value"]): boolean =>
  typeof one === "string" && typeof other === "string" ? BigInt(one) > BigInt(other) : Number(one) > Number(other)

const add = (one: Sample["value"], other: Sample["value"]): Sample["value"] =>
  typeof one === "string" && typeof other === "string"
    ? String(BigInt(one) + BigInt(other))
    : Number(one) + Number(other)

const addHistogram = (one: HistogramSample, other: HistogramSample): HistogramSample => ({
  labels: one.labels,
  counts: one.counts.map((count, i) => count + (other.counts[i] ?? 0)),
  sum: one.sum + other.sum
})

const byLabels = <S extends Pick<Sample, "labels">>(
  one: ReadonlyArray<S>,
  other: ReadonlyArray<S>,
  combine: (one: S, other: S) => S
): ReadonlyArray<S> => {
  const all = new Map(one.map((sample) => [JSON.stringify(sample.labels), sample]))
  for (const sample of other) {
    const id = JSON.stringify(sample.labels)
    const known = all.get(id)
    all.set(id, known === undefined ? sample : combine(known, sample))
  }
  return [...all.values()]
}

const combined = (one: Family, other: Family): Family => {
  if (one.type === "histogram") {
    return other.type === "histogram" ? { ...one, samples: byLabels(one.samples, other.samples, addHistogram) } : one
  }
  if (other.type === "histogram") return one
  const combine = (a: Sample, b: Sample): Sample => {
    if (one.combine === undefined) return { labels: a.labels, value: add(a.value, b.value) }
    return isGreater(b.value, a.value) === (one.combine === "max") ? b : a
  }
  return { ...one, samples: byLabels(one.samples, other.samples, combine) }
}

/** What only grows, without what is measured now. */
export const countersOf = (snapshot: Snapshot): Snapshot => snapshot.filter(({ type }) => type !== "gauge")

/** One snapshot of several processes that serve one address: what each counted is added up. */
export const merge = (snapshots: ReadonlyArray<Snapshot>): Snapshot => {
  const families = new Map<string, Family>()
  for (const family of snapshots.flat()) {
    const known = families.get(family.name)
    families.set(family.name, known === undefined ? family : combined(known, family))
  }
  return [...families.values()]
}
