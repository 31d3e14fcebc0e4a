// Channels of messengers' own services: what to fetch where, what to fill in, what to set there.
// A kind is one description; everything on screen is drawn from it. Which are shown says `served.ts`.
import type { useTranslations } from 'use-intl'

/** A text of the screens of services. */
export type ServiceText = Parameters<ReturnType<typeof useTranslations<'services'>>>[0]

/** As paths and lists name a kind. */
export type ServiceWord = 'telegram' | 'wa' | 'line' | 'fb' | 'ig' | 'email'

export interface Step {
  text: ServiceText
  /** Where that is done. */
  link?: string
}

export interface Field {
  /** As the server calls it. */
  name: string
  label: ServiceText
  /** Where it is found, or what it is for. */
  help: ServiceText
  /** It is given once and never shown again. */
  isSecret?: boolean
  /** Without it nothing is connected. */
  isRequired?: boolean
  /** Whether it is asked for at first, can be changed later, or both. */
  when?: 'first' | 'later'
  /** What it looks like. */
  pattern: RegExp
  /** What is wrong with whatever looks otherwise. */
  wrong: ServiceText
  example?: string
}

/** Something that is on or off. */
export interface Option {
  name: string
  label: ServiceText
  /** Whether it is on unless somebody says otherwise. */
  isOn?: boolean
}

/** What somebody must set at the service before messages come in. */
export interface Hook {
  /** Where the address goes. */
  text: ServiceText
  link?: string
  /** With this field the server sets it by itself. */
  unless?: string
}

export interface ServiceKind {
  word: ServiceWord
  /** What it calls itself. */
  name: string
  about: ServiceText
  steps: Step[]
  fields: Field[]
  options: Option[]
  /** Whether the service must reach this server before anything comes in. */
  isBrought: boolean
  hook: Hook | null
  /** Which part of its record names the account. */
  account: string
  /** What somebody does to see whether it works. */
  tryIt: ServiceText
}

const DIGITS = /^\d{1,32}$/
/** Letters and signs without blanks. */
const GRAPHIC = /^[!-~]{1,1024}$/
const META = 'https://developers.facebook.com/apps'

const secret = (name: string, label: ServiceText, help: ServiceText): Field => ({
  name,
  label,
  help,
  isSecret: true,
  isRequired: true,
  pattern: GRAPHIC,
  wrong: 'wrong.blanks',
})

const plain = (name: string, label: ServiceText, help: ServiceText): Field => ({
  ...secret(name, label, help),
  isSecret: false,
})

/** What signs the events of a Meta app; nothing comes in without it. */
const appSecret = secret('app_secret', 'field.appSecret', 'help.appSecret')
/** Made by the server; whoever lost it gives another one. */
const verifyToken: Field = {
  ...secret('verify_token', 'field.verifyToken', 'help.verifyToken'),
  isRequired: false,
  when: 'later',
}

/** Whether people may answer for a week, marked as such; Meta must have allowed that. */
const humanAgent: Option = { name: 'human_agent_enabled', label: 'option.humanAgent' }
const read: Option = { name: 'read_enabled', label: 'option.read' }

const metaId = (name: string, label: ServiceText, help: ServiceText): Field => ({
  ...plain(name, label, help),
  pattern: DIGITS,
  wrong: 'wrong.digits',
})

/** How a mail server is spoken to; the port follows from it. */
const security = (name: string, label: ServiceText): Field => ({
  ...plain(name, label, 'help.security'),
  isRequired: false,
  pattern: /^(tls|starttls|none)$/,
  wrong: 'wrong.security',
  example: 'tls',
})

export const KINDS: Record<ServiceWord, ServiceKind> = {
  telegram: {
    word: 'telegram',
    name: 'Telegram',
    about: 'telegram.about',
    steps: [
      { text: 'telegram.open', link: 'https://t.me/BotFather' },
      { text: 'telegram.make' },
      { text: 'telegram.copy' },
    ],
    fields: [
      {
        ...secret('bot_token', 'field.botToken', 'help.botToken'),
        pattern: /^\d+:[\w-]+$/,
        wrong: 'wrong.botToken',
        example: '123456789:AAE…',
      },
    ],
    options: [],
    isBrought: false,
    hook: null,
    account: 'username',
    tryIt: 'telegram.tryIt',
  },
  wa: {
    word: 'wa',
    name: 'WhatsApp',
    about: 'wa.about',
    steps: [
      { text: 'wa.app', link: META },
      { text: 'wa.ids' },
      { text: 'wa.token', link: 'https://business.facebook.com/settings/system-users' },
      { text: 'wa.secret' },
    ],
    fields: [
      {
        ...metaId('phone_number_id', 'field.phoneNumberId', 'help.phoneNumberId'),
        when: 'first',
        wrong: 'wrong.phoneNumberId',
        example: '106540352242922',
      },
      {
        ...metaId('business_id', 'field.businessId', 'help.businessId'),
        isRequired: false,
        example: '102290129340398',
      },
      {
        ...secret('access_token', 'field.accessToken', 'help.systemToken'),
        example: 'EAAG…',
      },
      appSecret,
      verifyToken,
    ],
    options: [read],
    isBrought: true,
    hook: { text: 'wa.hook', link: META, unless: 'business_id' },
    account: 'phone_number',
    tryIt: 'wa.tryIt',
  },
  line: {
    word: 'line',
    name: 'LINE',
    about: 'line.about',
    steps: [
      { text: 'line.open', link: 'https://developers.line.biz/console/' },
      { text: 'line.secret' },
      { text: 'line.token' },
    ],
    fields: [
      secret('access_token', 'field.accessToken', 'help.lineToken'),
      secret('secret_key', 'field.channelSecret', 'help.channelSecret'),
    ],
    options: [read],
    isBrought: true,
    hook: { text: 'line.hook', link: 'https://developers.line.biz/console/' },
    account: 'username',
    tryIt: 'line.tryIt',
  },
  fb: {
    word: 'fb',
    name: 'Messenger',
    about: 'fb.about',
    steps: [
      { text: 'fb.app', link: META },
      { text: 'fb.page' },
      { text: 'fb.token' },
      { text: 'wa.secret' },
    ],
    fields: [
      {
        ...metaId('page_id', 'field.pageId', 'help.pageId'),
        when: 'first',
        example: '104839281920384',
      },
      {
        ...secret('access_token', 'field.accessToken', 'help.pageToken'),
        example: 'EAAG…',
      },
      appSecret,
      verifyToken,
    ],
    options: [read, humanAgent],
    isBrought: true,
    hook: { text: 'fb.hook', link: META },
    account: 'profile_name',
    tryIt: 'fb.tryIt',
  },
  ig: {
    word: 'ig',
    name: 'Instagram',
    about: 'ig.about',
    steps: [
      { text: 'ig.allow' },
      { text: 'ig.app', link: META },
      { text: 'ig.token' },
      { text: 'ig.secret' },
    ],
    fields: [
      {
        ...secret('access_token', 'field.accessToken', 'help.igToken'),
        example: 'IGAA…',
      },
      secret('app_secret', 'field.igSecret', 'help.igSecret'),
      verifyToken,
    ],
    options: [
      read,
      humanAgent,
      { name: 'story_mention_enabled', label: 'option.stories', isOn: true },
    ],
    isBrought: true,
    hook: { text: 'ig.hook', link: META },
    account: 'username',
    tryIt: 'ig.tryIt',
  },
  email: {
    word: 'email',
    name: 'E-mail',
    about: 'email.about',
    steps: [{ text: 'email.mailbox' }, { text: 'email.password' }, { text: 'email.hosts' }],
    fields: [
      {
        ...plain('address', 'field.address', 'help.address'),
        pattern: /^[^\s@]+@[^\s@]+$/,
        wrong: 'wrong.address',
        example: 'help@example.com',
        when: 'first',
      },
      {
        ...secret('password', 'field.password', 'help.password'),
        // Providers show them in groups. Nothing is opened where mails are handed over.
        pattern: /^.{1,1024}$/,
        isRequired: false,
      },
      {
        ...plain('imap_host', 'field.imapHost', 'help.imapHost'),
        isRequired: false,
        example: 'imap.example.com',
      },
      security('imap_security', 'field.imapSecurity'),
      {
        ...plain('smtp_host', 'field.smtpHost', 'help.smtpHost'),
        example: 'smtp.example.com',
      },
      security('smtp_security', 'field.smtpSecurity'),
    ],
    options: [],
    isBrought: false,
    hook: null,
    account: 'address',
    tryIt: 'email.tryIt',
  },
}

/** Those that are asked for when it is connected. */
export const firstFields = ({ fields }: ServiceKind): Field[] =>
  fields.filter(({ when }) => when !== 'later')

/** Those that can be changed afterwards. */
export const laterFields = ({ fields }: ServiceKind): Field[] =>
  fields.filter(({ when }) => when !== 'first')
