/** Micro-USD as the decimal that a cap takes: `0.05`. */
export const decimalUsd = (micros: bigint): string => {
  const digits = micros.toString().padStart(7, "0")
  const fraction = digits.slice(-6).replace(/0+$/, "")
  return `${digits.slice(0, -6)}${fraction === "" ? "" : `.${fraction.padEnd(2, "0")}`}`
}
