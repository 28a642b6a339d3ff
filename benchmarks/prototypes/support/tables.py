"""Small tables by language, written for this prototype: number words, months, units, polarity and comparison cues.

Texts are compared after NFKC and lower case, so entries are lower case; patterns are of the `regex` module.
"""

# --- languages -------------------------------------------------------------------------------------------------------
STOP = {  # function words: they tell Latin languages apart, and weigh little
    "en": "the a an of to in on at by for with from is are was were be been has have had and or that this it its as "
    "he she they his her their which who what will can may not there than into also after when did does do",
    "de": "der die das den dem des ein eine einen einem einer eines und oder ist sind war waren wird werden wurde "
    "wurden hat haben hatte im in am an auf bei mit von vom zu zum zur für aus nach sich sie er es als auch dass",
    "es": "el la los las un una unos unas de del al a en y o u que se es son fue fueron ser está están con por para su "
    "sus lo le les como más ha han había este esta cada",
    "fr": "le la les l un une des de d du à au aux en et ou que qu qui se s est sont a ont "
    "été être il elle ils elles ce "
    "cette ces son sa ses leur dans par pour sur avec n y c comme plus",
    "ru": "и в во на с со к ко о об от до по за из у для при что как это его ее их он она они был была было были же ли "
    "бы а но не который которая которые",
    "ar": "في من على إلى عن مع هذا هذه التي الذي كان كانت و أن إن قد تم هو هي ما بين كل بعد",
    "hi": "का की के को में से पर है हैं था थे थी और या ने यह वह इस उस जो कि एक ही भी तो लिए हो गया गई किया जाता जाती",
    "ko": "",
    "zh": "",
    "ja": "",
    "th": "",
}
STOP = {k: frozenset(v.split()) for k, v in STOP.items()}


# --- number words ----------------------------------------------------------------------------------------------------
def _count(text, start=0, step=1):
    return {word: start + i * step for i, words in enumerate(text.split()) for word in words.split("/")}


EN = {
    **_count(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen",
        2,
    ),
    **_count("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10),
    "one": 1,
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "dozen": 12,
}
ES = {
    **_count(
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
        "dieciocho diecinueve veinte veintiuno/veintiún/veintiuna veintidós veintitrés veinticuatro veinticinco "
        "veintiséis veintisiete veintiocho veintinueve",
        2,
    ),
    **_count("treinta cuarenta cincuenta sesenta setenta ochenta noventa cien/ciento", 30, 10),
    **_count(
        "doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas quinientos/quinientas "
        "seiscientos/seiscientas setecientos/setecientas ochocientos/ochocientas novecientos/novecientas",
        200,
        100,
    ),
    "uno": 1,
    "mil": 1000,
    "millón": 10**6,
    "millones": 10**6,
    "docena": 12,
}
FR = {
    **_count("deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize", 2),
    **_count("vingt/vingts trente quarante cinquante soixante", 20, 10),
    "quatre-vingt": 80,
    "un": 1,
    "cent": 100,
    "cents": 100,
    "mille": 1000,
    "million": 10**6,
    "millions": 10**6,
    "milliard": 10**9,
    "milliards": 10**9,
    "septante": 70,
    "nonante": 90,
    "douzaine": 12,
}
DE_ONES = _count("ein/eins zwei/zwo drei vier fünf sechs sieben acht neun", 1)
DE = {
    **DE_ONES,
    **_count("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig", 10),
    **_count("dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", 30, 10),
    "million": 10**6,
    "millionen": 10**6,
    "milliarde": 10**9,
    "milliarden": 10**9,
    "dutzend": 12,
}
_RU = {
    2: "два две двух двум двумя",
    3: "три трех трем тремя",
    4: "четыре четырех четырем четырьмя",
    5: "пять пяти пятью",
    6: "шесть шести шестью",
    7: "семь семи семью",
    8: "восемь восьми восемью",
    9: "девять девяти девятью",
    10: "десять десяти десятью",
    11: "одиннадцать одиннадцати",
    12: "двенадцать двенадцати",
    13: "тринадцать тринадцати",
    14: "четырнадцать четырнадцати",
    15: "пятнадцать пятнадцати",
    16: "шестнадцать шестнадцати",
    17: "семнадцать семнадцати",
    18: "восемнадцать восемнадцати",
    19: "девятнадцать девятнадцати",
    20: "двадцать двадцати",
    30: "тридцать тридцати",
    40: "сорок сорока",
    50: "пятьдесят пятидесяти",
    60: "шестьдесят шестидесяти",
    70: "семьдесят семидесяти",
    80: "восемьдесят восьмидесяти",
    90: "девяносто девяноста",
    100: "сто ста",
    200: "двести двухсот",
    300: "триста трехсот",
    400: "четыреста четырехсот",
    500: "пятьсот пятисот",
    600: "шестьсот шестисот",
    700: "семьсот семисот",
    800: "восемьсот восьмисот",
    900: "девятьсот девятисот",
    1000: "тысяча тысячи тысяч тысячу тысячами тыс",
    10**6: "миллион миллиона миллионов миллионам млн",
    10**9: "миллиард миллиарда миллиардов млрд",
    1: "один одна одного одной одну одним",
}
RU = {form: value for value, forms in _RU.items() for form in forms.split()}
_AR = {
    2: "اثنان اثنين اثنتان اثنتين اثنا اثني اثنتا اثنتي",
    3: "ثلاث ثلاثة",
    4: "أربع أربعة",
    5: "خمس خمسة",
    6: "ست ستة",
    7: "سبع سبعة",
    8: "ثمان ثماني ثمانية",
    9: "تسع تسعة",
    10: "عشر عشرة",
    20: "عشرون عشرين",
    30: "ثلاثون ثلاثين",
    40: "أربعون أربعين",
    50: "خمسون خمسين",
    60: "ستون ستين",
    70: "سبعون سبعين",
    80: "ثمانون ثمانين",
    90: "تسعون تسعين",
    100: "مئة مائة",
    200: "مئتان مئتين مائتان مائتين",
    300: "ثلاثمئة ثلاثمائة",
    400: "أربعمئة أربعمائة",
    500: "خمسمئة خمسمائة",
    600: "ستمئة ستمائة",
    700: "سبعمئة سبعمائة",
    800: "ثمانمئة ثمانمائة",
    900: "تسعمئة تسعمائة",
    1000: "ألف آلاف ألفا",
    2000: "ألفان ألفين",
    10**6: "مليون ملايين مليونا",
    10**9: "مليار مليارات",
    1: "أحد إحدى",
}
AR = {form: value for value, forms in _AR.items() for form in forms.split()}
HI = {
    **_count(
        "दो तीन चार पाँच/पांच छह/छः/छे सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह/पन्द्रह सोलह सत्रह अठारह/अट्ठारह उन्नीस बीस "
        "इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस/अठ्ठाईस उनतीस/उन्तीस तीस इकतीस/इकत्तीस बत्तीस तैंतीस/तेंतीस चौंतीस "
        "पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस बयालीस तैंतालीस चौवालीस/चवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस "
        "उनचास/उनंचास पचास इक्यावन बावन तिरपन चौवन/चउवन पचपन छप्पन सत्तावन अट्ठावन/अठावन उनसठ साठ इकसठ बासठ तिरसठ चौंसठ "
        "पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उनासी/उन्यासी अस्सी "
        "इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी/सतासी अट्ठासी/अठासी नवासी नब्बे "
        "इक्यानवे/इक्यानबे बानवे/बानबे तिरानवे/तिरानबे "
        "चौरानवे/चौरानबे पचानवे/पंचानबे छियानवे/छियानबे सत्तानवे/सत्तानबे अट्ठानवे/अठानवे निन्यानवे/निन्यानबे",
        2,
    ),
    "सौ": 100,
    "हज़ार": 1000,
    "हजार": 1000,
    "लाख": 10**5,
    "करोड़": 10**7,
    "अरब": 10**9,
    "दर्जन": 12,
}
WORDS = {"en": EN, "es": ES, "fr": FR, "de": DE, "ru": RU, "ar": AR, "hi": HI}
JOIN = {"en": {"and"}, "es": {"y"}, "fr": {"et"}, "ar": {"و"}}  # stand within a number
HAN = {
    **_count("零/〇 一 二/两/兩 三 四 五 六 七 八 九"),
    "十": 10,
    "百": 100,
    "千": 1000,
    "万": 10**4,
    "萬": 10**4,
    "億": 10**8,
    "亿": 10**8,
    "兆": 10**12,
}
KO = {
    **_count("영 일 이 삼 사 오 육 칠 팔 구"),
    "십": 10,
    "백": 100,
    "천": 1000,
    "만": 10**4,
    "억": 10**8,
    "조": 10**12,
}
KO_TENS = {
    "열": 10,
    "스물": 20,
    "스무": 20,
    "서른": 30,
    "마흔": 40,
    "쉰": 50,
    "예순": 60,
    "일흔": 70,
    "여든": 80,
    "아흔": 90,
}
KO_ONES = {
    "하나": 1,
    "한": 1,
    "두": 2,
    "둘": 2,
    "세": 3,
    "셋": 3,
    "네": 4,
    "넷": 4,
    "다섯": 5,
    "여섯": 6,
    "일곱": 7,
    "여덟": 8,
    "아홉": 9,
}
TH = {
    **_count("ศูนย์ หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า"),
    "เอ็ด": 1,
    "ยี่": 2,
    "สิบ": 10,
    "ร้อย": 100,
    "พัน": 1000,
    "หมื่น": 10**4,
    "แสน": 10**5,
    "ล้าน": 10**6,
}
SCALE = {
    "million": 10**6,
    "millions": 10**6,
    "billion": 10**9,
    "thousand": 1000,
    "hundred": 100,
    "mio": 10**6,
    "millionen": 10**6,
    "milliarden": 10**9,
    "milliarde": 10**9,
    "tausend": 1000,
    "mil millones": 10**9,
    "mil": 1000,
    "millón": 10**6,
    "millones": 10**6,
    "mille": 1000,
    "milliard": 10**9,
    "milliards": 10**9,
    **{k: v for k, v in RU.items() if v >= 1000},
    **{k: v for k, v in AR.items() if v in (1000, 10**6, 10**9)},
    "سو": 100,
    "हज़ार": 1000,
    "हजार": 1000,
    "लाख": 10**5,
    "करोड़": 10**7,
    "अरब": 10**9,
    "lakh": 10**5,
    "crore": 10**7,
    "万": 10**4,
    "萬": 10**4,
    "億": 10**8,
    "亿": 10**8,
    "千": 1000,
    "百": 100,
    "百万": 10**6,
    "十亿": 10**9,
    "만": 10**4,
    "억": 10**8,
    "천": 1000,
    "백만": 10**6,
    "천만": 10**7,
    "ล้าน": 10**6,
    "พัน": 1000,
    "หมื่น": 10**4,
    "แสน": 10**5,
    "ร้อย": 100,
    "พันล้าน": 10**9,
}

# --- units: word -> (kind, factor to the base) -----------------------------------------------------------------------
_UNITS = {
    (
        "length",
        1,
    ): "m metre metres meter meters metern metro metros mètre mètres м метр метра метров метре метрах متر أمتار "
    "मीटर เมตร ม. 米 メートル 미터",
    (
        "length",
        1000,
    ): "km kilometre kilometres kilometer kilometers kilometern kilómetro kilómetros kilomètre kilomètres км "
    "километр километра километров километре كيلومتر كيلومترا كيلومترات كم किलोमीटर किमी กิโลเมตร กม. 公里 千米 "
    "キロメートル キロ 킬로미터",
    ("length", 0.01): "cm centimetre centimetres centimeter centimeters zentimeter zentimetern centímetro centímetros "
    "centimètre centimètres см сантиметр сантиметра сантиметров سنتيمتر سنتيمترا سم सेंटीमीटर सेमी เซนติเมตร ซม. 厘米 公分 "
    "センチメートル センチ 센티미터",
    (
        "length",
        0.001,
    ): "mm millimetre millimetres millimeter millimetern milímetro milímetros millimètre millimètres мм "
    "миллиметр миллиметра миллиметров مليمتر ملم मिलीमीटर मिमी มิลลิเมตร มม. 毫米 ミリメートル ミリ 밀리미터",
    ("mass", 1): "kg kilogram kilograms kilogramm kilo kilos kilogramo kilogramos kilogramme kilogrammes кг килограмм "
    "килограмма килограммов كيلوغرام كيلوغراما كغ किलोग्राम किलो กิโลกรัม กก. 公斤 千克 キログラム 킬로그램",
    (
        "mass",
        0.001,
    ): "g gram grams gramm gramo gramos gramme grammes г грамм грамма граммов غرام غراما ग्राम กรัม 克 グラム 그램",
    ("mass", 1000): "t tonne tonnes ton tons tonnen tonelada toneladas тонн тонна тонны طن أطنان طنا टन ตัน 吨 トン 톤",
    (
        "percent",
        1,
    ): "% percent prozent процент процента процентов процентам प्रतिशत फ़ीसदी फीसदी パーセント 퍼센트 프로 เปอร์เซ็นต์",
    (
        "span",
        1,
    ): "minute minutes min minuten minuto minutos минута минуты минут мин دقيقة دقائق मिनट นาที 分钟 分鐘 分間 분",
    ("span", 60): "hour hours stunde stunden hora horas heure heures час часа часов ساعة ساعات घंटे घंटा घंटों ชั่วโมง 小时 "
    "小時 時間 시간",
    ("span", 1440): "day days tag tage tagen día días jour jours день дня дней يوم أيام يوما दिन दिनों วัน 天 日間",
    ("span", 10080): "week weeks woche wochen semana semanas semaine semaines неделя недели недель неделю أسبوع أسابيع "
    "सप्ताह हफ़्ते हफ्ते สัปดาห์ 周 週間 주",
}
UNITS = {word: unit for unit, words in _UNITS.items() for word in words.split()}

# --- months and halves of the day ------------------------------------------------------------------------------------
_MONTHS = [
    "january januar jänner enero janvier январь января январе يناير كانون_الثاني जनवरी มกราคม ม.ค.",
    "february februar febrero février февраль февраля феврале فبراير شباط फ़रवरी फरवरी กุมภาพันธ์ ก.พ.",
    "march märz marzo mars март марта марте مارس آذار मार्च มีนาคม มี.ค.",
    "april abril avril апрель апреля апреле أبريل نيسان إبريل अप्रैल เมษายน เม.ย.",
    "may mai mayo май мая мае مايو أيار मई พฤษภาคม พ.ค.",
    "june juni junio juin июнь июня июне يونيو حزيران जून มิถุนายน มิ.ย.",
    "july juli julio juillet июль июля июле يوليو تموز जुलाई กรกฎาคม ก.ค.",
    "august agosto août август августа августе أغسطس آب अगस्त สิงหาคม ส.ค.",
    "september septiembre septembre сентябрь сентября сентябре سبتمبر أيلول सितंबर सितम्बर กันยายน ก.ย.",
    "october oktober octubre octobre октябрь октября октябре أكتوبر تشرين_الأول अक्टूबर अक्तूबर ตุลาคม ต.ค.",
    "november noviembre novembre ноябрь ноября ноябре نوفمبر تشرين_الثاني नवंबर नवम्बर พฤศจิกายน พ.ย.",
    "december dezember diciembre décembre декабрь декабря декабре ديسمبر كانون_الأول दिसंबर दिसम्बर ธันวาคม ธ.ค.",
]
MONTHS = {word.replace("_", " "): i + 1 for i, words in enumerate(_MONTHS) for word in words.split()}
_WEEKDAYS = [
    "monday montag lunes lundi понедельник понедельника понедельникам الاثنين सोमवार จันทร์ 星期一 周一 月曜 월요일",
    "tuesday dienstag martes mardi вторник вторника الثلاثاء मंगलवार อังคาร 星期二 周二 火曜 화요일",
    "wednesday mittwoch miércoles mercredi среда среду среды الأربعاء बुधवार วันพุธ 星期三 周三 水曜 수요일",
    "thursday donnerstag jueves jeudi четверг четверга الخميس गुरुवार พฤหัส 星期四 周四 木曜 목요일",
    "friday freitag viernes vendredi пятница пятницу пятницы الجمعة शुक्रवार ศุกร์ 星期五 周五 金曜 금요일",
    "saturday samstag sonnabend sábado samedi суббота субботу субботы السبت शनिवार เสาร์ 星期六 周六 土曜 토요일",
    (
        "sunday sonntag domingo dimanche воскресенье воскресенья воскресеньям الأحد रविवार "
        "อาทิตย์ 星期日 星期天 周日 日曜 일요일"
    ),
]
WEEKDAYS = {word: i for i, words in enumerate(_WEEKDAYS) for word in words.split()}
# What makes an hour one of the afternoon; before or after the number.
PM = (
    r"p\.? ?m\b\.?|in the afternoon|in the evening|de la tarde|de la noche|nachmittags|abends|uhr nachmittags|"
    r"de l'après-midi|du soir|дня|вечера|مساء|ظهرا|बजे शाम|शाम|दोपहर|下午|晚上|傍晚|午後|夜|오후|저녁|ค่ำ|ทุ่ม|บ่าย"
)
AM = (
    r"a\.? ?m\b\.?|in the morning|de la mañana|morgens|vormittags|du matin|утра|صباحا|"
    r"सुबह|上午|早上|凌晨|午前|朝|오전|아침|เช้า"
)

# --- cues: (kind, class) -> pattern by language. Spaced languages match whole words. ---------------------------------
# Kinds: quant (how much of), bound (at least or at most), and pairs of opposites. "not" is polarity.
CUES = {
    ("quant", "all"): {
        "en": r"all|every|each|everyone|everything|entire|whole|always|entirely|completely|without exception",
        "de": r"alle[nrs]?|alles|jede[rsnm]?|gesamte[nrsm]?|ganze[nrsm]?|sämtliche[nr]?|immer|stets|vollständig",
        "es": r"tod[oa]s?|cada|la totalidad|enter[oa]s?|siempre|por completo",
        "fr": r"tou(?:s|te|tes|t)|chaque|la totalité|entière?s?|toujours|chacune?",
        "ru": r"все|всех|всем|всеми|вс[юя]|всего|всей|кажд\w+|люб(?:ой|ая|ые|ых)|цел(?:ый|ая|иком)|всегда|полностью",
        "ar": r"(?:[وبلف])?(?:كل|جميع|كافة|كامل|دائما|كلها|جميعها|بأكمل\w*)|كله",
        "hi": r"सभी|सब|हर|प्रत्येक|पूर[ाीे]|हमेशा|सारे|सारी",
        "zh": r"全部|所有|每[一个座家名位条]|全都|一律|全体|总是|始终|整个|必定|必须全|均|都(?!市|会|城)",
        "ja": r"すべて|全て|全部|あらゆる|全員|いつも|常に|必ず|どの[^、。]{1,8}も|全体|毎回",
        "ko": r"모두|모든|전부|전체|항상|언제나|늘|반드시|각각|마다",
        "th": r"ทั้งหมด|ทุก|เสมอ|ทั้งสิ้น|ล้วน",
    },
    ("quant", "almost all"): {
        "en": r"(?:almost|nearly) (?:all|every|always)",
        "de": r"(?:fast|beinahe) (?:alle[nr]?|jede[rsn]?|immer)",
        "es": r"casi tod[oa]s?|casi siempre",
        "fr": r"presque tou(?:s|te|tes|t)",
        "ru": r"почти (?:все|всех|всю|весь|кажд\w+)(?:ми|м)?",
        "ar": r"(?:كل|جميع) \w+ تقريبا|معظم",
        "hi": r"लगभग (?:सभी|सब|हर)",
        "zh": r"几乎(?:全部|所有|都|全)|近乎所有",
        "ja": r"ほぼ(?:すべて|全て|全部)|ほとんど(?:すべて|全て)?",
        "ko": r"거의 (?:모두|모든|전부)",
        "th": r"เกือบทั้งหมด|เกือบทุก",
    },
    ("quant", "most"): {
        "en": r"most(?! of which)|majority|usually|normally|generally|mostly|mainly|largely|typically|as a rule",
        "de": r"meisten?s?|mehrheit|größten? teil\w*|großteil|überwiegend|in der regel|normalerweise|üblicherweise",
        "es": r"mayoría|mayor parte|normalmente|generalmente|habitualmente|por lo general|suelen?",
        "fr": (
            r"la plupart|plupart|majorité|majeure partie|plus grande partie|généralement|habituellement|"
            r"en général|en règle générale|d'ordinaire"
        ),
        "ru": r"большинств\w+|больш(?:ая|ую|ей) част\w+|обычно|как правило|в основном|преимущественно",
        "ar": r"(?:[وبلف])?(?:معظم\w*|أغلب\w*|غالبية|أغلبية|غالبا|عادة)",
        "hi": r"अधिकांश|अधिकतर|ज़्यादातर|ज्यादातर|आमतौर पर|आम तौर पर|सामान्यतः|बहुसंख्य\w*",
        "zh": r"大部分|大多数|大多|多数|多半|绝大部分|绝大多数|通常|一般|往往",
        "ja": r"大半|大部分|多く(?!ても)|大多数|たいてい|通常|ふつう|普通|過半",
        "ko": r"대부분|대다수|대개|보통|대체로|주로",
        "th": r"ส่วนใหญ่|ส่วนมาก|โดยปกติ|โดยทั่วไป|มักจะ|มัก",
    },
    ("quant", "some"): {
        "en": r"some|several|certain|sometimes|part of|partly|occasionally|various",
        "de": r"einige[nrs]?|manche[nrs]?|mehrere[nr]?|teilweise|manchmal|zum teil|ein teil|etliche",
        "es": r"algun[oa]s?|algún|vari[oa]s|cierta?o?s?|a veces|una parte|en parte",
        "fr": r"certaine?s?|plusieurs|parfois|une partie|en partie|quelques-un(?:e)?s",
        "ru": r"некотор\w+|нескольк\w+|иногда|част(?:ь|и|ично)",
        "ar": r"(?:[وبلف])?(?:بعض\w*|عدة|أحيانا|جزء|عدد من)",
        "hi": r"कुछ|कई|कभी-कभी|आंशिक",
        "zh": r"一些|有些|部分|某些|若干|有时|有的",
        "ja": r"一部|いくつか|ときどき|時々|数々|ある程度|一部分",
        "ko": r"일부|여러|가끔|몇몇|때때로",
        "th": r"บางส่วน|บาง|หลาย|บางครั้ง",
    },
    ("quant", "few"): {
        "en": r"few|a minority|rarely|seldom|hardly any",
        "de": r"wenige[nr]?|minderheit|selten",
        "es": r"poc[oa]s|minoría|raramente|rara vez|unos pocos",
        "fr": r"peu|quelques|minorité|rarement",
        "ru": r"немног\w+|мало|меньшинств\w+|редко|лишь нескольк\w+",
        "ar": r"(?:[وبلف])?(?:قليل\w*|قلة|أقلية|نادرا)",
        "hi": r"थोड़े|कम ही|शायद ही|गिने-चुने|अल्पसंख्य\w*",
        "zh": r"少数|极少|很少|少量|几[户个只幅名家]|寥寥",
        "ja": r"少数|ごく一部|わずか|めったに|数[軒戸点人羽件個世]",
        "ko": r"소수|몇(?!몇)|드물게|극소수|거의 없",
        "th": r"ส่วนน้อย|ไม่กี่|น้อยราย|ไม่ค่อย|นาน ๆ",
    },
    ("quant", "half"): {
        "en": r"half",
        "de": r"hälfte|halb\w*",
        "es": r"mitad|medi[oa]",
        "fr": r"moitié|demie?",
        "ru": r"половин\w+",
        "ar": r"(?:[وبلف])?نصف\w*",
        "hi": r"आध[ेाी]|आधे से",
        "zh": r"一半|半数|过半|半[^年天小日月夜]",
        "ja": r"半分|半数",
        "ko": r"절반",
        "th": r"ครึ่ง",
    },
    ("quant", "third"): {
        "en": r"thirds?|one third|one in three",
        "de": r"drittel\w*",
        "es": r"tercios?|tercera parte|un tercio",
        "fr": r"tiers",
        "ru": r"треть|трети|третью",
        "ar": r"(?:[وبلف])?ثلث\w*",
        "hi": r"तिहाई",
        "zh": r"三分之一",
        "ja": r"(?:3|三)分の(?:1|一)",
        "ko": r"(?:3|삼)분의 ?(?:1|일)",
        "th": r"หนึ่งในสาม",
    },
    ("quant", "quarter"): {
        "en": r"quarters?|one in four",
        "de": r"viertel",
        "es": r"cuarta parte",
        "fr": r"un quart|quart",
        "ru": r"четверть|четверти",
        "ar": r"(?:[وبلف])?ربع",
        "hi": r"चौथाई",
        "zh": r"四分之一",
        "ja": r"(?:4|四)分の(?:1|一)",
        "ko": r"(?:4|사)분의 ?(?:1|일)",
        "th": r"หนึ่งในสี่",
    },
    ("quant", "both"): {
        "en": r"both|the two",
        "de": r"beide[nrs]?|sowohl",
        "es": r"amb[oa]s|l[oa]s dos|tanto",
        "fr": r"les deux",
        "ru": r"оба|обе|обоих|обеих|обоим\w*",
        "ar": r"(?:[وبلف])?(?:كلا|كلتا|كلاهما|كلتاهما|كلي\w*)",
        "hi": r"दोनों",
        "zh": r"两[个位者张名]?(?:都|均)?|双方|二者",
        "ja": r"両方|二人とも|二つとも|2つとも|両者|どちらも|いずれも",
        "ko": r"둘 다|양쪽|두",
        "th": r"ทั้งสอง|ทั้งคู่",
    },
    ("quant", "one"): {
        "en": r"only one|just one|one of",
        "de": r"nur eine?[rsmn]?|eine?[rs]? der",
        "es": r"solo un[oa]?|un[oa] solo|un[oa] de",
        "fr": r"une? seule?|l'une? des",
        "ru": r"(?:лишь|только) (?:один|одна|одно|одн\w+)|один из|одному из|одного из",
        "ar": r"(?:واحد|واحدة|أحد|إحدى) فقط|أحد\w*|إحدى|واحد من",
        "hi": r"केवल एक|सिर्फ़ एक|सिर्फ एक|में से एक",
        "zh": r"只有一|仅有?一|其中一|仅其中",
        "ja": r"一人だけ|一つだけ|1つだけ|片方|一方だけ",
        "ko": r"한 명만|하나만|한 곳만|중 하나|중 한",
        "th": r"คนเดียว|ช่องเดียว|เพียงหนึ่ง|แห่งเดียว|เพียงคนเดียว|เดียว",
    },
    ("bound", "at least"): {
        "en": r"at least|no fewer than|no less than|a minimum of|minimum",
        "de": r"mindestens|wenigstens|minimum",
        "es": r"al menos|como mínimo|por lo menos|mínimo",
        "fr": r"au moins|au minimum|minimum|minimal\w*",
        "ru": r"не мен(?:ее|ьше)|минимум|по крайней мере|как минимум|минимальн\w+",
        "ar": r"على الأقل|ما لا يقل|لا يقل|كحد أدنى|الحد الأدنى|لا تقل",
        "hi": r"कम से कम|न्यूनतम",
        "zh": r"至少|最少|不少于|起码|最低|不低于",
        "ja": r"少なくとも|少なくても|最低|以上",
        "ko": r"최소|적어도|이상|최저|최소한",
        "th": r"อย่างน้อย|ไม่น้อยกว่า|ขั้นต่ำ|ไม่ต่ำกว่า",
    },
    ("bound", "at most"): {
        "en": r"at most|no more than|not more than|up to|a maximum of|maximum|as high as|cannot exceed|not exceed\w*",
        "de": r"höchstens|maximal|bis zu|nicht mehr als|höchstzahl|maximum",
        "es": r"como máximo|a lo sumo|máxim[oa]|hasta un|no más de|hasta",
        "fr": r"au maximum|au plus|maximum|maximal\w*|jusqu'à|tout au plus",
        "ru": r"не бол(?:ее|ьше)|максимум|максимальн\w+|предельн\w+|до(?= [\d\0])(?! \d{4})",
        "ar": r"على الأكثر|ما لا يزيد|لا يزيد|لا تزيد|كحد أقصى|الحد الأقصى|أقصى|لا يتجاوز|يصل إلى|تصل إلى",
        "hi": r"अधिक से अधिक|ज़्यादा से ज़्यादा|अधिकतम|तक",
        "zh": r"至多|最多|不超过|不多于|上限|最高|不高于",
        "ja": r"多くても|最大|最高|以下|以内|上限|まで",
        "ko": r"최대|많아야|이하|최고|까지|상한|이내",
        "th": r"อย่างมาก|ไม่เกิน|สูงสุด|มากถึง|ไม่มากกว่า",
    },
    ("more", "more"): {
        "en": r"more than|over|above|greater than|exceed\w*",
        "de": r"mehr als|über",
        "es": r"más de|superior a|más que",
        "fr": r"plus d(?:e|')?|supérieur\w*",
        "ru": r"(?<!не )(?:бол(?:ее|ьше)(?: чем)?)|свыше",
        "ar": r"أكثر من|أكثر|تزيد|يزيد|أعلى|يفوق",
        "hi": r"से अधिक|से ज़्यादा|से ज्यादा",
        "zh": r"超过|多于|以上|大于|过半",
        "ja": r"より多|を超え|以上|上回",
        "ko": r"넘[는은을어]|넘게|초과|이상|보다 많",
        "th": r"มากกว่า|กว่า|เกิน",
    },
    ("more", "less"): {
        "en": r"less than|fewer than|under|below|lower than",
        "de": r"weniger als|unter",
        "es": r"menos de|inferior(?:es)? a|menos",
        "fr": r"moins d(?:e|')?|inférieur\w*",
        "ru": r"(?<!не )мен(?:ее|ьше)(?: чем)?|ниже",
        "ar": r"أقل من|أقل|أدنى|دون",
        "hi": r"से कम",
        "zh": r"不到|少于|不足|低于|小于|未满",
        "ja": r"より少な|未満|下回|足らず|に満た",
        "ko": r"미만|보다 적|못 미|안 되는|이하|보다 낮",
        "th": r"น้อยกว่า|ไม่ถึง|ต่ำกว่า",
    },
    ("order", "before"): {
        "en": r"before|prior to|earlier than",
        "de": r"bevor|vor",
        "es": r"antes",
        "fr": r"avant",
        "ru": r"перед|прежде|до того",
        "ar": r"قبل",
        "hi": r"पहले|पूर्व",
        "zh": r"之前|以前|前(?!往)",
        "ja": r"前に|以前|までに",
        "ko": r"전에|이전|앞서",
        "th": r"ก่อน",
    },
    ("order", "after"): {
        "en": r"after|later than|following",
        "de": r"nachdem|nach",
        "es": r"después|tras",
        "fr": r"après|suivant",
        "ru": r"после",
        "ar": r"بعد",
        "hi": r"बाद",
        "zh": r"之后|以后|后",
        "ja": r"後|のち",
        "ko": r"뒤|후",
        "th": r"หลัง",
    },
    ("ends", "until"): {
        "en": r"until|till",
        "de": r"bis",
        "es": r"hasta",
        "fr": r"jusqu'(?:au?x?|en|à)",
        "ru": r"до|по",
        "ar": r"حتى",
        "hi": r"तक",
        "zh": r"截至|为止|至|到",
        "ja": r"まで",
        "ko": r"까지",
        "th": r"ถึง|จนถึง",
    },
    ("ends", "since"): {
        "en": r"since|from",
        "de": r"seit|ab|vom",
        "es": r"desde|a partir",
        "fr": r"depuis|dès|à partir",
        "ru": r"с|со|начиная",
        "ar": r"منذ|من",
        "hi": r"से",
        "zh": r"自|从|起",
        "ja": r"から",
        "ko": r"부터",
        "th": r"ตั้งแต่",
    },
    ("trend", "up"): {
        "en": r"increas\w*|r[io]se\w*|grew|grow\w*|higher|climbed",
        "de": r"st(?:ieg|eig)\w*|erhöh\w*|wuchs|wachs\w*|höher\w*|zunahm\w*",
        "es": r"aument\w+|creci\w+|subi\w+|incremen\w+|más alt\w+",
        "fr": r"augment\w+|hausse|cr[ûu]\w*|progress\w+",
        "ru": r"вырос\w*|увелич\w+|рост\w*|повы\w+|выше",
        "ar": r"ارتفع\w*|زاد\w*|زيادة|نما",
        "hi": r"बढ़\w*|वृद्धि",
        "zh": r"增长|增加|上升|提高|上涨",
        "ja": r"増|上が|上昇|伸び",
        "ko": r"증가|늘|상승|올[라랐]",
        "th": r"เพิ่ม|สูงขึ้น|โตขึ้น",
    },
    ("trend", "down"): {
        "en": r"decreas\w*|f[ea]ll\w*|drop\w*|declin\w*|reduc\w*|lower|shr[aiu]nk",
        "de": r"s[aie]nk\w*|fiel\w*|verringer\w*|abnahm\w*|niedriger\w*|reduzier\w*",
        "es": r"dismin\w+|baj\w+|ca[ey]\w+|reduj\w+|reduc\w+|descen\w+",
        "fr": r"dimin\w+|baiss\w+|recul\w+|rédui\w+|chut\w+",
        "ru": r"сниз\w+|уменьш\w+|упал\w*|сокра\w+|паден\w+|ниже",
        "ar": r"انخفض\w*|تراجع\w*|هبط\w*|انخفاض",
        "hi": r"घट\w*|गिर\w*|कमी",
        "zh": r"下降|减少|下跌|降低|下滑",
        "ja": r"減|下が|低下|落ち",
        "ko": r"감소|줄|하락|떨어",
        "th": r"ลดลง|ต่ำลง|น้อยลง",
    },
    ("rank", "first"): {
        "en": r"first|earliest",
        "de": r"erste[nrsm]?|zuerst",
        "es": r"primer[oa]?s?",
        "fr": r"premi(?:er|ère)s?",
        "ru": r"перв\w+",
        "ar": r"(?:ال)?أول\w*",
        "hi": r"पहल[ाीे]|प्रथम",
        "zh": r"第一|首[次个位届]|最早",
        "ja": r"最初|初めて|第一",
        "ko": r"처음|첫|최초",
        "th": r"แรก",
    },
    ("rank", "last"): {
        "en": r"last|final|latest",
        "de": r"letzte[nrsm]?|zuletzt",
        "es": r"últim[oa]s?",
        "fr": r"derni(?:er|ère)s?",
        "ru": r"последн\w+",
        "ar": r"(?:ال)?(?:أخير\w*|آخر)",
        "hi": r"अंतिम|आख़िरी|आखिरी",
        "zh": r"最后|最终|末[次届]",
        "ja": r"最後|最終",
        "ko": r"마지막|최종",
        "th": r"สุดท้าย",
    },
    ("door", "open"): {
        "en": r"open\w*",
        "de": r"öffn\w*|geöffnet|offen",
        "es": r"abi?er\w+|abre\w*|abrir\w*",
        "fr": r"ouv\w+",
        "ru": r"откр\w+",
        "ar": r"(?:[ييت])?فتح\w*|مفتوح\w*",
        "hi": r"खुल\w*|खोल\w*",
        "zh": r"开放|开门|营业",
        "ja": r"開い|開館|営業",
        "ko": r"열[리려린]|개관|개방",
        "th": r"เปิด",
    },
    ("door", "closed"): {
        "en": r"clos\w+|shut",
        "de": r"schließ\w*|geschlossen|schloss",
        "es": r"cerr\w+|cierr\w+",
        "fr": r"ferm\w+",
        "ru": r"закры\w+",
        "ar": r"(?:[ييت])?غلق\w*|مغلق\w*",
        "hi": r"बंद",
        "zh": r"关闭|闭馆|关门|休馆",
        "ja": r"閉ま|閉館|休館|閉鎖",
        "ko": r"닫[히혀힌]|폐관|휴관|폐쇄",
        "th": r"ปิด(?!ให้)",
    },
    ("only", "only"): {
        "en": r"only|just|merely|solely",
        "de": r"nur|lediglich",
        "es": r"s[oó]lo|solamente|únicamente",
        "fr": r"seule?s?|seulement|uniquement",
        "ru": r"только|лишь",
        "ar": r"فقط",
        "hi": r"केवल|सिर्फ़|सिर्फ|मात्र",
        "zh": r"只|仅",
        "ja": r"だけ|のみ|しか",
        "ko": r"만(?=[ .,은이을 ])|뿐",
        "th": r"เพียง|เท่านั้น",
    },
}
# Negation. What the bounds ("not more than") take stands before it.
NOT = {
    "en": r"not|no(?! less| more| fewer)|never|none|nor|neither|nobody|nothing|nowhere|without|"
    r"cannot|\w*n't|lacks?|lacked|lacking|fail(?:s|ed|ing)?|"
    r"unable|refus\w+|den(?:y|ied|ies)|un(?:available|likely|true|changed)|no longer|free of|exclud\w+|except",
    "de": (
        r"nicht|kein\w*|nie|niemals|ohne|weder|niemand|nichts|nirgends|fehlt\w*|ausgeschlossen|"
        r"unmöglich|verweiger\w+|schließt|keineswegs|ausgenommen"
    ),
    "es": r"no|nunca|jamás|sin|ningun[oa]s?|ningún|ni|nadie|nada|tampoco|carec\w+|incapa\w+|excluy\w+|excepto|salvo",
    "fr": r"pas|jamais|aucune?s?|sans|ni|personne|rien|ne|n|nullement|dépourvue?s?|incapable|exclu\w*|sauf|hors",
    "ru": (
        r"не|нет|ни|никогда|без|никто|ничего|нельзя|никак\w*|невозможн\w+|лишен\w*|отсутств\w+|"
        r"исключ\w+|кроме|больше не"
    ),
    "ar": r"[وف]?(?:لا|لم|لن|ليس\w*|غير|ما|بدون|دون|عدم|بلا|أي|لست|فشل\w*|خال\w*|يستثن\w*|تستثن\w*|عجز\w*|أبدا)",
    "hi": r"नहीं|न|ना|मत|बिना|कभी नहीं|बगैर|बग़ैर|रहित|असफल|विफल|नाकाम|अलावा",
    "zh": (
        r"不(?!超过|少于|多于|低于|高于|同|仅|但|断|到|足|久)|没有?|无|未(?!来|满)|非(?!常|"
        r"洲)|从未|并非|别|免(?!费|疫|于)|莫|勿|缺乏|拒绝|除外"
    ),
    "ja": (
        r"ない|なかっ|なく(?!て)|ません|ませんでした|ず(?=[、。にに])|ぬ|不[可能要]|未(?!満|"
        r"来)|無(?!料)|なし|対象外|除[かい外]|できな|しな[いかく]"
    ),
    "ko": r"않|없|아니|아닙|못(?= ?[미])?|못|안 (?=[되하])|말아|말[고라]|불가|제외|무(?=료)",
    "th": r"ไม่(?!เกิน|น้อยกว่า|มากกว่า|กี่|ถึง|ต่ำกว่า|ค่อย)|มิได้|มิ(?!ถุนายน)|ไร้|ปราศจาก|ไม่เคย|ยกเว้น|งดเว้น|ห้าม|ขาด",
}
