const shape = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})\.(\d{3})$/

/** As the task endpoints write a time: `YYYY-MM-DD HH:MM:SS.mmm`, in UTC. */
export const format = (millis: number): string => new Date(millis).toISOString().slice(0, 23).replace("T", " ")

/** `undefined` where the text is no such time, or names a day that the calendar does not have. */
export const parse = (text: string): number | undefined => {
  if (!shape.test(text)) return undefined
  const millis = Date.parse(`${text.replace(" ", "T")}Z`)
  return Number.isNaN(millis) || format(millis) !== text ? undefined : millis
}
