const shape = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})\.(\d{3})$/

/** The time format of the task endpoints: `YYYY-MM-DD HH:MM:SS.mmm`, in UTC. */
export const format = (millis: number): string => new Date(millis).toISOString().slice(0, 23).replace("T", " ")

/** `undefined` if the text has another format or names a date that does not exist. */
export const parse = (text: string): number | undefined => {
  if (!shape.test(text)) return undefined
  const millis = Date.parse(`${text.replace(" ", "T")}Z`)
  return Number.isNaN(millis) || format(millis) !== text ? undefined : millis
}
