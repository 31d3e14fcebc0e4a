import type { SoundName } from '../app/preferences'

/** Frequencies of each sound's tones in hertz, played one after the other. */
const TONES: Record<SoundName, number[]> = {
  message: [880, 660],
  assigned: [523, 659, 784],
  unassigned: [440],
}
const TONE_S = 0.12
const LOUDNESS = 0.08

let context: AudioContext | null = null

/** Plays a few soft tones, generated without a file. Browsers stay silent until the user has
 * interacted with the page. */
export function play(name: SoundName): void {
  context ??= new AudioContext()
  const { currentTime, destination } = context
  void context.resume()
  TONES[name].forEach((hertz, at) => {
    if (!context) return
    const tone = context.createOscillator()
    const volume = context.createGain()
    const from = currentTime + at * TONE_S
    tone.frequency.value = hertz
    volume.gain.setValueAtTime(LOUDNESS, from)
    volume.gain.exponentialRampToValueAtTime(0.001, from + TONE_S)
    tone.connect(volume).connect(destination)
    tone.start(from)
    tone.stop(from + TONE_S)
  })
}
