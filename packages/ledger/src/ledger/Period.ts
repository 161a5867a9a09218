export type Period = "day" | "month"

const dayMillis = 86_400_000

/** Days and months in UTC. */
export const periodStart = (period: Period, now: number): number => {
  const date = new Date(now)
  return period === "day"
    ? Math.floor(now / dayMillis) * dayMillis
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

export const periodEnd = (period: Period, now: number): number => {
  const date = new Date(now)
  return period === "day"
    ? periodStart(period, now) + dayMillis
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}
