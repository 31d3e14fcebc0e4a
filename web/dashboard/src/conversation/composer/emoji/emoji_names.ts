/** The emoji that agents use most, each with its names in English and Indonesian. */
export const EMOJI_NAMES = `
🙂|slightly smiling face|senyum tipis
😀|grinning face|menyeringai
😃|big smile|senyum lebar
😄|laughing eyes|mata tertawa
😁|beaming face|wajah berseri
😊|happy blush|senang tersipu
😉|wink|kedip
😍|heart eyes|mata hati
🥰|in love|jatuh cinta
😘|kiss|cium
😂|tears of joy|tertawa menangis
🤣|rolling with laughter|terguling tertawa
😅|relieved sweat|keringat lega
😇|angel halo|malaikat
🙃|upside down|terbalik
😋|yummy|lezat
😎|cool sunglasses|keren kacamata hitam
🤓|nerd|kutu buku
🤩|star struck|mata bintang
🥳|party face|pesta
🤗|hug|peluk
🤔|thinking|berpikir
🤨|raised eyebrow|alis terangkat
😐|neutral face|wajah datar
😶|speechless|tanpa kata
🙄|rolling eyes|memutar mata
😏|smirk|senyum sinis
😣|persevering|bertahan
😥|sad but relieved|sedih lega
😮|surprised open mouth|mulut terbuka kaget
😯|hushed|terdiam
😪|sleepy|mengantuk
😫|tired|lelah
🥱|yawn|menguap
😴|sleeping|tidur
😌|relieved|lega
😛|tongue|lidah
😜|winking tongue|lidah kedip
🤤|drooling|ngiler
😒|unamused|tidak senang
😓|cold sweat|keringat dingin
😔|pensive|murung
😕|confused|bingung
🫤|unsure mouth|ragu
🤑|money mouth|mulut uang
😲|astonished|terkejut
🙁|slight frown|cemberut tipis
😖|confounded|kalut
😞|disappointed|kecewa
😟|worried|khawatir
😤|huffing|mendengus
😢|crying|menangis
😭|sobbing|menangis keras
😨|fearful|takut
😩|weary|letih
🤯|mind blown|terpukau
😬|grimace|meringis
😰|anxious|cemas
😱|scream|menjerit
🥵|hot|kepanasan
🥶|cold|kedinginan
😳|flushed|tersipu malu
🤪|zany|konyol
😵|dizzy|pusing
😡|angry|marah
😠|annoyed|kesal
🤬|swearing|memaki
😷|mask|masker
🤒|fever thermometer|demam
🤕|hurt bandage|terluka
🤢|nauseated|mual
🤧|sneezing|bersin
🥺|pleading|memohon
🤫|quiet shush|diam
🤭|giggle|terkikik
🧐|monocle|kaca mata tunggal
🤖|robot|robot
💩|poop|kotoran
👻|ghost|hantu
👋|waving hand hello|lambai tangan halo
🤚|back of hand|punggung tangan
✋|raised hand stop|angkat tangan berhenti
👌|okay|oke
🤏|small amount|sedikit
✌️|peace|damai
🤞|fingers crossed luck|semoga beruntung
🤟|love you hand|isyarat sayang
🤙|call me hand|telepon saya
👈|point back|tunjuk belakang
👉|point forward|tunjuk depan
👆|point up|tunjuk atas
👇|point down|tunjuk bawah
👍|thumbs up yes|jempol ya
👎|thumbs down no|jempol ke bawah tidak
✊|fist|kepalan
👊|punch|tinju
👏|clap|tepuk tangan
🙌|raised hands hooray|angkat kedua tangan hore
🫶|heart hands|tangan hati
🤲|open palms|telapak terbuka
🤝|handshake deal|jabat tangan sepakat
🙏|please thanks pray|tolong terima kasih doa
✍️|writing|menulis
💪|strong|kuat
👀|eyes look|mata lihat
🧠|brain|otak
👶|baby|bayi
👩|woman|perempuan
👨|man|laki-laki
👵|grandmother|nenek
👴|grandfather|kakek
👪|family|keluarga
🙋|raising hand question|tanya
🤷|shrug|angkat bahu
🤦|facepalm|tepuk jidat
🙇|bow sorry|membungkuk maaf
❤️|red heart|hati merah
🧡|orange heart|hati jingga
💛|yellow heart|hati kuning
💚|green heart|hati hijau
💙|blue heart|hati biru
💜|purple heart|hati ungu
🖤|black heart|hati hitam
💔|broken heart|patah hati
💯|hundred|seratus
✨|sparkles|kilau
⭐|star|bintang
🔥|fire|api
💥|boom|ledakan
🎉|party popper|perayaan
🎊|confetti|konfeti
🎁|gift|hadiah
🎂|birthday cake|kue ulang tahun
🏆|trophy|piala
🥇|gold medal|medali emas
✅|check done|centang selesai
❌|cross wrong|silang salah
⚠️|warning|peringatan
❗|exclamation|seru
❓|question mark|tanda tanya
⛔|no entry|dilarang
🆗|ok button|tombol ok
🆕|new|baru
🔔|bell|lonceng
🔒|locked|terkunci
🔑|key|kunci
🔍|search|cari
💡|idea|ide
📌|pin|pin
📎|paperclip|klip
📄|document|dokumen
📅|calendar|kalender
📈|rising chart|grafik naik
📉|falling chart|grafik turun
📦|package|paket
🚚|delivery truck|truk kirim
🛒|shopping cart|keranjang belanja
🛍️|shopping bags|tas belanja
💳|credit card|kartu kredit
💰|money bag|kantong uang
💵|cash|uang tunai
🧾|receipt|struk
🏷️|label|label harga
📞|phone|telepon
📱|mobile phone|ponsel
💻|laptop|laptop
🖨️|printer|pencetak
📷|camera|kamera
🎧|headphones|penyuara telinga
🔧|wrench fix|kunci pas perbaiki
🔨|hammer|palu
⚙️|gear settings|roda gigi pengaturan
⏰|alarm clock|jam beker
⏳|hourglass wait|jam pasir tunggu
🕐|one o'clock|pukul satu
📍|location|lokasi
🗺️|map|peta
🏠|house|rumah
🏢|office|kantor
🏥|hospital|rumah sakit
🏦|bank|bank
🏪|shop|toko
🚗|car|mobil
🛵|scooter|skuter
🚌|bus|bus
🚆|train|kereta
✈️|plane|pesawat
🚢|ship|kapal
☀️|sun|matahari
🌧️|rain|hujan
⛈️|storm|badai
🌈|rainbow|pelangi
❄️|snow|salju
🌙|moon|bulan
🌹|rose|mawar
🌸|blossom|bunga
🌳|tree|pohon
🐶|dog|anjing
🐱|cat|kucing
🐟|fish|ikan
🦋|butterfly|kupu-kupu
🍎|apple|apel
🍌|banana|pisang
🍚|rice|nasi
🍜|noodles|mi
🍕|pizza|piza
🍔|burger|burger
🍰|cake|kue
☕|coffee|kopi
🍵|tea|teh
🍺|beer|bir
⚽|football|sepak bola
🎵|music|musik
🎬|film|film
🇮🇩|Indonesia|Indonesia
🇬🇧|United Kingdom|Inggris
🌐|globe|bola dunia
`
