export type Period = "day" | "month"

const dayMillis = 86_400_000

/** Days and months in UTC. */
export const periodStart = (period: Period, now: number): number => {
  if (period === "day") return Math.floor(now / dayMillis) * dayMillis
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

export const periodEnd = (period: Period, now: number): number => {
  if (period === "day") return periodStart(period, now) + dayMillis
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}
